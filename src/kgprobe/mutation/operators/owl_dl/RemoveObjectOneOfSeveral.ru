# name: RemoveObjectOneOfSeveral
# does: remove a subclass axiom with an enumeration of several individuals
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :p1 a owl:NamedIndividual . :p2 a owl:NamedIndividual .
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:oneOf (:p1 :p2) ] .
# after:
#   :Pump a owl:Class .
#   :p1 a owl:NamedIndividual . :p2 a owl:NamedIndividual .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:oneOf ?members .
  ?members rdf:rest ?rest .
  FILTER(?rest != rdf:nil)
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
