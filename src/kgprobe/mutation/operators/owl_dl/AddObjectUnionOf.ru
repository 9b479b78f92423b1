# name: AddObjectUnionOf
# does: add a subclass axiom with a union of two classes
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class . :Valve a owl:Class . :Pipe a owl:Class .
# after:
#   :Pump a owl:Class . :Valve a owl:Class . :Pipe a owl:Class .
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Valve :Pipe) ] .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

INSERT { ?class rdfs:subClassOf [ a owl:Class ; owl:unionOf (?one ?other) ] }
WHERE {
  ?class a owl:Class .
  ?one a owl:Class .
  ?other a owl:Class .
  FILTER(kg:isClass(?class))
  FILTER(kg:isClass(?one))
  FILTER(kg:isClass(?other))
  FILTER(?one != ?other)
}
