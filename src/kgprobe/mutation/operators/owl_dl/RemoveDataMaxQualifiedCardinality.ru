# name: RemoveDataMaxQualifiedCardinality
# does: remove a subclass axiom with a qualified maximum cardinality restriction on a data property
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ; owl:onDataRange xsd:decimal ;
#     owl:maxQualifiedCardinality "2"^^xsd:nonNegativeInteger ] .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:maxQualifiedCardinality ?number ; owl:onProperty ?property .
  ?property a owl:DatatypeProperty .
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
