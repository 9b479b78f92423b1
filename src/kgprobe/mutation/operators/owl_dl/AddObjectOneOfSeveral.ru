# name: AddObjectOneOfSeveral
# does: add a subclass axiom with an enumeration of two individuals
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class .
#   :p1 a owl:NamedIndividual . :p2 a owl:NamedIndividual .
# after:
#   :Pump a owl:Class .
#   :p1 a owl:NamedIndividual . :p2 a owl:NamedIndividual .
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:oneOf (:p1 :p2) ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

INSERT { ?class rdfs:subClassOf [ a owl:Class ; owl:oneOf (?one ?other) ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  BIND(kg:individual() AS ?one)
  BIND(kg:individual(?one) AS ?other)
}
