# name: AddDataExactCardinality
# does: add a subclass axiom with an exact cardinality restriction on a data property
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ;
#     owl:cardinality "2"^^xsd:nonNegativeInteger ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:cardinality ?number ] }
WHERE {
  ?class a owl:Class .
  ?property a owl:DatatypeProperty .
  FILTER(kg:isClass(?class))
  FILTER(kg:isDataProperty(?property))
  BIND(kg:pick("0"^^xsd:nonNegativeInteger, "1"^^xsd:nonNegativeInteger,
               "2"^^xsd:nonNegativeInteger, "3"^^xsd:nonNegativeInteger) AS ?number)
}
