# name: RemoveDisjointObjectProperties
# does: remove the axiom that two object properties are disjoint
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :drives owl:propertyDisjointWith :feeds .
# after:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:propertyDisjointWith ?other }
WHERE {
  ?one owl:propertyDisjointWith ?other .
  ?one a owl:ObjectProperty .
  FILTER(isIRI(?one))
  FILTER(isIRI(?other))
}
