# name: AddSymmetricObjectProperty
# does: declare an object property as symmetric
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:SymmetricProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?property a owl:SymmetricProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:mayImply(?property, ?property))
}
