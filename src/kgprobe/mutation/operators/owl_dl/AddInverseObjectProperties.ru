# name: AddInverseObjectProperties
# does: declare two object properties as inverses of each other
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :drives owl:inverseOf :feeds .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?one owl:inverseOf ?other }
WHERE {
  ?one a owl:ObjectProperty .
  ?other a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?one))
  FILTER(kg:isObjectProperty(?other))
  FILTER(?one != ?other)
  FILTER(kg:mayImply(?one, ?other))
  FILTER(kg:mayImply(?other, ?one))
}
