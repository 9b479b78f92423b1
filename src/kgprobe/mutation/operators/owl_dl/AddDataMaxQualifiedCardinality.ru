# name: AddDataMaxQualifiedCardinality
# does: add a subclass axiom with a qualified maximum cardinality restriction on a data property
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ; owl:onDataRange xsd:decimal ;
#     owl:maxQualifiedCardinality "2"^^xsd:nonNegativeInteger ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT {
  ?class rdfs:subClassOf [
    a owl:Restriction ; owl:onProperty ?property ; owl:maxQualifiedCardinality ?number ; owl:onDataRange ?datatype
  ]
}
WHERE {
  ?class a owl:Class .
  ?property a owl:DatatypeProperty .
  FILTER(kg:isClass(?class))
  FILTER(kg:isDataProperty(?property))
  BIND(kg:pick("0"^^xsd:nonNegativeInteger, "1"^^xsd:nonNegativeInteger,
               "2"^^xsd:nonNegativeInteger, "3"^^xsd:nonNegativeInteger) AS ?number)
  BIND(kg:pick(xsd:string, xsd:boolean, xsd:decimal, xsd:integer, xsd:double, xsd:dateTime) AS ?datatype)
}
