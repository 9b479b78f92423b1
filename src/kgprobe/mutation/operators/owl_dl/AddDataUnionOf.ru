# name: AddDataUnionOf
# does: add a subclass axiom with an existential restriction to a union of two datatypes
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ;
#     owl:someValuesFrom [ a rdfs:Datatype ; owl:unionOf (xsd:string xsd:decimal) ] ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT {
  ?class rdfs:subClassOf [
    a owl:Restriction ; owl:onProperty ?property ;
    owl:someValuesFrom [ a rdfs:Datatype ; owl:unionOf (?one ?other) ]
  ]
}
WHERE {
  ?class a owl:Class .
  ?property a owl:DatatypeProperty .
  FILTER(kg:isClass(?class))
  FILTER(kg:isDataProperty(?property))
  # No datatype is in both lists: two equal ones would be no union.
  BIND(kg:pick(xsd:string, xsd:boolean, xsd:dateTime) AS ?one)
  BIND(kg:pick(xsd:decimal, xsd:integer, xsd:double) AS ?other)
}
