# name: AddObjectInverseOf
# does: add a subclass axiom with an existential restriction on the inverse of an object property
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
# after:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :drives ] ; owl:someValuesFrom :Pump ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

INSERT {
  ?class rdfs:subClassOf [
    a owl:Restriction ; owl:onProperty [ owl:inverseOf ?property ] ; owl:someValuesFrom ?filler
  ]
}
WHERE {
  ?class a owl:Class .
  ?property a owl:ObjectProperty .
  ?filler a owl:Class .
  FILTER(kg:isClass(?class))
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isClass(?filler))
}
