# name: AddAllDisjointClasses
# does: declare three classes as disjoint
# target: tbox
# sets: owl-el, owl-dl
# before:
#   :Pump a owl:Class . :Pipe a owl:Class . :Robot a owl:Class .
# after:
#   :Pump a owl:Class . :Pipe a owl:Class . :Robot a owl:Class .
#   [] a owl:AllDisjointClasses ; owl:members (:Pump :Pipe :Robot) .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { [] a owl:AllDisjointClasses ; owl:members (?first ?second ?third) }
WHERE {
  ?first a owl:Class .
  ?second a owl:Class .
  ?third a owl:Class .
  FILTER(kg:isClass(?first))
  FILTER(kg:isClass(?second))
  FILTER(kg:isClass(?third))
  FILTER(?first != ?second)
  FILTER(?first != ?third)
  FILTER(?second != ?third)
}
