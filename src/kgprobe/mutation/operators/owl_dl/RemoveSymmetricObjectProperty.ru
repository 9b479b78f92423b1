# name: RemoveSymmetricObjectProperty
# does: remove the axiom that an object property is symmetric
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:SymmetricProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:SymmetricProperty }
WHERE {
  ?property a owl:SymmetricProperty , owl:ObjectProperty .
  FILTER(isIRI(?property))
}
