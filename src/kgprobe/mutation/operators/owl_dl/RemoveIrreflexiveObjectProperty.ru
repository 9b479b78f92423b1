# name: RemoveIrreflexiveObjectProperty
# does: remove the axiom that an object property is irreflexive
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:IrreflexiveProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:IrreflexiveProperty }
WHERE {
  ?property a owl:IrreflexiveProperty , owl:ObjectProperty .
  FILTER(isIRI(?property))
}
