# name: RemoveHasKey
# does: remove the axiom that some properties are a key for the instances of a class
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :Pump a owl:Class ; owl:hasKey ( :p ) . :p a owl:ObjectProperty .
# after:
#   :Pump a owl:Class . :p a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?class owl:hasKey ?properties }
WHERE { ?class owl:hasKey ?properties }
