# name: AddObjectSomeValuesFrom
# does: add a subclass axiom with an existential restriction: some value is in a class
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 32
# rdfmutate: AddObjectSomeValuesFromMutation
# before:
#   :Pump a owl:Class . :drives a owl:ObjectProperty .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ; owl:someValuesFrom :Pump ] .
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:someValuesFrom ?filler ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?filler a owl:Class .
  FILTER(kg:isClass(?filler))
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
}
