# name: RemoveAllDifferent
# does: remove an axiom that several individuals differ from each other
# target: abox
# tidies: yes
# sets: owl-el, owl-dl, abox
# paper: table 2, row 52
# before:
#   [] a owl:AllDifferent ; owl:distinctMembers ( :a :b :c ) .
#   :a a owl:NamedIndividual .
# after:
#   :a a owl:NamedIndividual .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# All else that the node has goes along.
DELETE { ?axiom a owl:AllDifferent }
WHERE { ?axiom a owl:AllDifferent . FILTER(isBlank(?axiom)) }
