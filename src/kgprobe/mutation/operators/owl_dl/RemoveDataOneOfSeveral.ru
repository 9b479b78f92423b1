# name: RemoveDataOneOfSeveral
# does: remove a subclass axiom with an existential restriction to an enumeration of several literals
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
#   :Pump rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ;
#     owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf ("*"^^xsd:string "*"^^xsd:string) ] ] .
# after:
#   :Pump a owl:Class .
#   :weight a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:someValuesFrom ?range .
  ?range a rdfs:Datatype .
  ?range owl:oneOf ?members .
  ?members rdf:rest ?rest .
  FILTER(?rest != rdf:nil)
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
