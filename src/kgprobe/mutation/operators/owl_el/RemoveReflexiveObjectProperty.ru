# name: RemoveReflexiveObjectProperty
# does: remove the axiom that an object property is reflexive
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :drives a owl:ObjectProperty , owl:ReflexiveProperty .
# after:
#   :drives a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?property a owl:ReflexiveProperty }
WHERE { ?property a owl:ReflexiveProperty ; a owl:ObjectProperty }
