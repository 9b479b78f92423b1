# name: AddAsymmetricObjectProperty
# does: declare an object property as asymmetric
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:AsymmetricProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?property a owl:AsymmetricProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isSimple(?property))
}
