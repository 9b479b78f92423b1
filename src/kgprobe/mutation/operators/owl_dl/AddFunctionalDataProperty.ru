# name: AddFunctionalDataProperty
# does: declare a data property as functional
# target: tbox
# sets: owl-el, owl-dl
# before:
#   :weight a owl:DatatypeProperty .
# after:
#   :weight a owl:DatatypeProperty , owl:FunctionalProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?property a owl:FunctionalProperty }
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
}
