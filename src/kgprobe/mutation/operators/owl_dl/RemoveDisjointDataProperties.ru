# name: RemoveDisjointDataProperties
# does: remove the axiom that two data properties are disjoint
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :weight owl:propertyDisjointWith :height .
# after:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:propertyDisjointWith ?other }
WHERE {
  ?one owl:propertyDisjointWith ?other .
  ?one a owl:DatatypeProperty .
  FILTER(isIRI(?one))
  FILTER(isIRI(?other))
}
