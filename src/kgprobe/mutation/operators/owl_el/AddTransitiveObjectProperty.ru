# name: AddTransitiveObjectProperty
# does: declare an object property as transitive
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 14
# rdfmutate: AddTransitiveObjectPropertyRelationMutation
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:TransitiveProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property a owl:TransitiveProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:mayCompose(?property))
}
