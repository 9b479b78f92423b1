# name: RemoveObjectInverseOf
# does: remove a subclass axiom with a restriction on the inverse of a property
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :drives ] ; owl:someValuesFrom :Pump ] .
# after:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:onProperty ?inverse .
  ?inverse owl:inverseOf ?property .
  FILTER(isBlank(?inverse))
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
