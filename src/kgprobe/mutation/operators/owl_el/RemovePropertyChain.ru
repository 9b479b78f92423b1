# name: RemovePropertyChain
# does: remove a sub-property relation with a chain of object properties
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :p a owl:ObjectProperty ; owl:propertyChainAxiom ( :q :r ) .
# after:
#   :p a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?implied owl:propertyChainAxiom ?chain }
WHERE { ?implied owl:propertyChainAxiom ?chain }
