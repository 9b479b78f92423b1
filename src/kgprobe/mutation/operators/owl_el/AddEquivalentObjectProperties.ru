# name: AddEquivalentObjectProperties
# does: add an equivalence relation between two object properties
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 25
# rdfmutate: AddEquivObjectPropMutation
# before:
#   :p a owl:ObjectProperty . :q a owl:ObjectProperty .
# after:
#   :p a owl:ObjectProperty ; owl:equivalentProperty :q . :q a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one owl:equivalentProperty ?other }
WHERE {
  ?one a owl:ObjectProperty .
  ?other a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?one))
  FILTER(kg:isObjectProperty(?other))
  FILTER(?one != ?other)
  FILTER(kg:mayImply(?one, ?other))
  FILTER(kg:mayImply(?other, ?one))
}
