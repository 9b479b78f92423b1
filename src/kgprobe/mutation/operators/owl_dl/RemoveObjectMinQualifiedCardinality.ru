# name: RemoveObjectMinQualifiedCardinality
# does: remove a subclass axiom with a qualified minimum cardinality restriction on an object property
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ; owl:onClass :Pump ;
#     owl:minQualifiedCardinality "2"^^xsd:nonNegativeInteger ] .
# after:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:minQualifiedCardinality ?number ; owl:onProperty ?property .
  ?property a owl:ObjectProperty .
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
