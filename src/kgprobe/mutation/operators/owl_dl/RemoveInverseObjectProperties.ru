# name: RemoveInverseObjectProperties
# does: remove the axiom that two object properties are inverses of each other
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :drives owl:inverseOf :feeds .
# after:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:inverseOf ?other }
WHERE {
  ?one owl:inverseOf ?other .
  ?one a owl:ObjectProperty .
  FILTER(isIRI(?one))
  FILTER(isIRI(?other))
}
