# name: AddDataOneOfSeveral
# does: add a subclass axiom with an existential restriction to an enumeration of two literals
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ;
#     owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf ("*"^^xsd:string "*"^^xsd:string) ] ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

INSERT {
  ?class rdfs:subClassOf [
    a owl:Restriction ; owl:onProperty ?property ;
    owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf (?one ?other) ]
  ]
}
WHERE {
  ?class a owl:Class .
  ?property a owl:DatatypeProperty .
  FILTER(kg:isClass(?class))
  FILTER(kg:isDataProperty(?property))
  BIND(kg:value(?property) AS ?one)
  BIND(kg:value(?property) AS ?other)
}
