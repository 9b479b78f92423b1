# name: RemoveInverseFunctionalObjectProperty
# does: remove the axiom that an object property is inverse functional
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:InverseFunctionalProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:InverseFunctionalProperty }
WHERE {
  ?property a owl:InverseFunctionalProperty , owl:ObjectProperty .
  FILTER(isIRI(?property))
}
