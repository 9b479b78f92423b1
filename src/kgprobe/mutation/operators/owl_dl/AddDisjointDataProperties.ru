# name: AddDisjointDataProperties
# does: declare two data properties as disjoint
# target: tbox
# sets: owl-dl
# before:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty .
# after:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :weight owl:propertyDisjointWith :height .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?one owl:propertyDisjointWith ?other }
WHERE {
  ?one a owl:DatatypeProperty .
  ?other a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?one))
  FILTER(kg:isDataProperty(?other))
  FILTER(?one != ?other)
}
