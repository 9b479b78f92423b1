# name: AddAllDisjointObjectProperties
# does: declare three object properties as disjoint
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :heats a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :heats a owl:ObjectProperty .
#   [] a owl:AllDisjointProperties ; owl:members (:drives :feeds :heats) .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { [] a owl:AllDisjointProperties ; owl:members (?first ?second ?third) }
WHERE {
  ?first a owl:ObjectProperty .
  ?second a owl:ObjectProperty .
  ?third a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?first))
  FILTER(kg:isObjectProperty(?second))
  FILTER(kg:isObjectProperty(?third))
  FILTER(?first != ?second)
  FILTER(?first != ?third)
  FILTER(?second != ?third)
  FILTER(kg:isSimple(?first))
  FILTER(kg:isSimple(?second))
  FILTER(kg:isSimple(?third))
}
