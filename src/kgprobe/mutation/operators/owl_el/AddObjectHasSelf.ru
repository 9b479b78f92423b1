# name: AddObjectHasSelf
# does: add a subclass axiom with a restriction that requires a relation to itself
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 34
# rdfmutate: AddObjectHasSelfMutation
# before:
#   :Pump a owl:Class . :drives a owl:ObjectProperty .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ; owl:hasSelf true ] .
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:hasSelf true ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isSimple(?property))
}
