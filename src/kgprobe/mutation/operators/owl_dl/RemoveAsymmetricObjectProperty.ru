# name: RemoveAsymmetricObjectProperty
# does: remove the axiom that an object property is asymmetric
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:AsymmetricProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:AsymmetricProperty }
WHERE {
  ?property a owl:AsymmetricProperty , owl:ObjectProperty .
  FILTER(isIRI(?property))
}
