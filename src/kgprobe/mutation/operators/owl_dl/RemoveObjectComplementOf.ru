# name: RemoveObjectComplementOf
# does: remove a subclass axiom with the complement of a class
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class . :Valve a owl:Class .
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:complementOf :Valve ] .
# after:
#   :Pump a owl:Class . :Valve a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?class rdfs:subClassOf ?expression }
WHERE {
  ?class rdfs:subClassOf ?expression .
  ?expression owl:complementOf ?other .
  FILTER(isIRI(?class))
  FILTER(isBlank(?expression))
}
