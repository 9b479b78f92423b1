# name: AddReflexiveObjectProperty
# does: declare an object property as reflexive
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 13
# rdfmutate: AddReflexiveObjectPropertyRelationMutation
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:ReflexiveProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property a owl:ReflexiveProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
}
