# name: RemoveDisjointUnion
# does: remove the axiom that a class is the disjoint union of others
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :Pump a owl:Class . :Gear a owl:Class . :Vane a owl:Class .
#   :Pump owl:disjointUnionOf (:Gear :Vane) .
# after:
#   :Pump a owl:Class . :Gear a owl:Class . :Vane a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?class owl:disjointUnionOf ?members }
WHERE { ?class owl:disjointUnionOf ?members . FILTER(isIRI(?class)) }
