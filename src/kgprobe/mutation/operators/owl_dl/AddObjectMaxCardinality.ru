# name: AddObjectMaxCardinality
# does: add a subclass axiom with a maximum cardinality restriction on an object property
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
# after:
#   :Pump a owl:Class .
#   :drives a owl:ObjectProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ;
#     owl:maxCardinality "2"^^xsd:nonNegativeInteger ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT {
  ?class rdfs:subClassOf [
    a owl:Restriction ; owl:onProperty ?property ; owl:maxCardinality ?number
  ]
}
WHERE {
  ?class a owl:Class .
  ?property a owl:ObjectProperty .
  FILTER(kg:isClass(?class))
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isSimple(?property))
  BIND(kg:pick("0"^^xsd:nonNegativeInteger, "1"^^xsd:nonNegativeInteger,
               "2"^^xsd:nonNegativeInteger, "3"^^xsd:nonNegativeInteger) AS ?number)
}
