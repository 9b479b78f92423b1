# name: RemoveTransitiveObjectProperty
# does: remove the axiom that an object property is transitive
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:TransitiveProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:TransitiveProperty }
WHERE { ?property a owl:TransitiveProperty ; a owl:ObjectProperty }
