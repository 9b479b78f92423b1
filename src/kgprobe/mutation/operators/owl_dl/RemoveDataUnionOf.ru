# name: RemoveDataUnionOf
# does: remove a subclass axiom with an existential restriction to a union of data ranges
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ;
#     owl:someValuesFrom [ a rdfs:Datatype ; owl:unionOf (xsd:decimal xsd:string) ] ] .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:someValuesFrom ?range .
  ?range a rdfs:Datatype .
  ?range owl:unionOf ?operands .
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
