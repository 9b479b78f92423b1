# name: RemoveNegativePropertyAssertion
# does: remove a negative object or data property relation
# target: abox
# tidies: yes
# sets: owl-el, owl-dl, abox
# paper: table 2, row 49
# rdfmutate: RemoveNegativePropertyAssertionMutation
# before:
#   :drives a owl:ObjectProperty .
#   [] a owl:NegativePropertyAssertion ;
#     owl:sourceIndividual :a ; owl:assertionProperty :drives ; owl:targetIndividual :b .
# after:
#   :drives a owl:ObjectProperty .
# before:
#   :name a owl:DatatypeProperty .
#   [] a owl:NegativePropertyAssertion ;
#     owl:sourceIndividual :a ; owl:assertionProperty :name ; owl:targetValue "x" .
# after:
#   :name a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# All else that the node has goes along.
DELETE { ?axiom a owl:NegativePropertyAssertion }
WHERE { ?axiom a owl:NegativePropertyAssertion . FILTER(isBlank(?axiom)) }
