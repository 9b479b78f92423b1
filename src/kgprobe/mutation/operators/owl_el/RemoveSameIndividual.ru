# name: RemoveSameIndividual
# does: remove an axiom that two individuals are the same
# target: abox
# tidies: yes
# sets: owl-el, owl-dl, abox
# paper: table 2, row 51
# rdfmutate: RemoveSameIndividualAssertionMutation
# before:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual . :a owl:sameAs :b .
# after:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:sameAs ?other }
WHERE { ?one owl:sameAs ?other }
