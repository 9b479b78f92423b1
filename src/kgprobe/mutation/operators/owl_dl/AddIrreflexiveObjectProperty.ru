# name: AddIrreflexiveObjectProperty
# does: declare an object property as irreflexive
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:IrreflexiveProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?property a owl:IrreflexiveProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isSimple(?property))
}
