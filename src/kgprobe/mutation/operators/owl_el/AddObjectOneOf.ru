# name: AddObjectOneOf
# does: add a subclass axiom with an enumeration of one individual
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 31
# rdfmutate: AddELObjectOneOfMutation
# before:
#   :Pump a owl:Class . :pump1 a :Pump .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:oneOf ( :pump1 ) ] .
#   :pump1 a :Pump .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Class ; owl:oneOf ( ?individual ) ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  BIND(kg:individual() AS ?individual)
}
