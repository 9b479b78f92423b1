# name: RemoveFunctionalDataProperty
# does: remove the axiom that a data property is functional
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :weight a owl:DatatypeProperty , owl:FunctionalProperty .
# after:
#   :weight a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:FunctionalProperty }
WHERE {
  ?property a owl:FunctionalProperty , owl:DatatypeProperty .
  FILTER(isIRI(?property))
}
