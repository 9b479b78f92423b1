# name: AddDisjointUnion
# does: declare a class as the disjoint union of two others
# target: tbox
# sets: owl-dl
# before:
#   :Pump a owl:Class . :Gear a owl:Class . :Vane a owl:Class .
# after:
#   :Pump a owl:Class . :Gear a owl:Class . :Vane a owl:Class .
#   :Pump owl:disjointUnionOf (:Gear :Vane) .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?class owl:disjointUnionOf (?one ?other) }
WHERE {
  ?class a owl:Class .
  ?one a owl:Class .
  ?other a owl:Class .
  FILTER(kg:isClass(?class))
  FILTER(kg:isClass(?one))
  FILTER(kg:isClass(?other))
  FILTER(?one != ?other)
  FILTER(?class != ?one)
  FILTER(?class != ?other)
}
