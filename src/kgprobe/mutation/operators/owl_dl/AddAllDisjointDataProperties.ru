# name: AddAllDisjointDataProperties
# does: declare three data properties as disjoint
# target: tbox
# sets: owl-dl
# before:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :width a owl:DatatypeProperty .
# after:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :width a owl:DatatypeProperty .
#   [] a owl:AllDisjointProperties ; owl:members (:weight :height :width) .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { [] a owl:AllDisjointProperties ; owl:members (?first ?second ?third) }
WHERE {
  ?first a owl:DatatypeProperty .
  ?second a owl:DatatypeProperty .
  ?third a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?first))
  FILTER(kg:isDataProperty(?second))
  FILTER(kg:isDataProperty(?third))
  FILTER(?first != ?second)
  FILTER(?first != ?third)
  FILTER(?second != ?third)
}
