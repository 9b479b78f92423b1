# name: RemoveFunctionalObjectProperty
# does: remove the axiom that an object property is functional
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:FunctionalProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:FunctionalProperty }
WHERE {
  ?property a owl:FunctionalProperty , owl:ObjectProperty .
  FILTER(isIRI(?property))
}
