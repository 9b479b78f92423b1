# name: AddInverseFunctionalObjectProperty
# does: declare an object property as inverse functional
# target: tbox
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty .
# after:
#   :drives a owl:ObjectProperty , owl:InverseFunctionalProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?property a owl:InverseFunctionalProperty }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:isSimple(?property))
}
