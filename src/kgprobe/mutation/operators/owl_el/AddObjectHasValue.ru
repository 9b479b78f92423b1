# name: AddObjectHasValue
# does: add a subclass axiom with a restriction that requires an individual as a value
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 33
# rdfmutate: AddObjectHasValueMutation
# before:
#   :Pump a owl:Class . :drives a owl:ObjectProperty . :pump1 a :Pump .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ; owl:hasValue :pump1 ] .
#   :drives a owl:ObjectProperty . :pump1 a :Pump .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:hasValue ?individual ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  BIND(kg:individual() AS ?individual)
}
