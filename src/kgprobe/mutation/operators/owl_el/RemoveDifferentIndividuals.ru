# name: RemoveDifferentIndividuals
# does: remove an axiom that two individuals differ
# target: abox
# tidies: yes
# sets: owl-el, owl-dl, abox
# paper: table 2, row 52
# rdfmutate: RemoveDifferentIndividualAssertionMutation
# before:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual . :a owl:differentFrom :b .
# after:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:differentFrom ?other }
WHERE { ?one owl:differentFrom ?other }
