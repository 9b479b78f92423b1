# name: AddObjectIntersectionOf
# does: add a subclass axiom with an intersection of two classes
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 29
# rdfmutate: AddObjectIntersectionOfMutation
# before:
#   :Pump a owl:Class . :Device a owl:Class .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :Pump :Device ) ] .
#   :Device a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( ?one ?other ) ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?one a owl:Class .
  ?other a owl:Class .
  FILTER(kg:isClass(?one))
  FILTER(kg:isClass(?other))
  FILTER(?one != ?other)
}
