# name: AddNegativeObjectPropertyAssertion
# does: add a negative object property relation between two individuals
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 48
# rdfmutate: AddNegativeObjectPropertyRelationMutation
# before:
#   :drives a owl:ObjectProperty .
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
# after:
#   :drives a owl:ObjectProperty .
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
#   [] a owl:NegativePropertyAssertion ;
#     owl:sourceIndividual :a ; owl:assertionProperty :drives ; owl:targetIndividual :b .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT {
  [] a owl:NegativePropertyAssertion ;
    owl:sourceIndividual ?one ; owl:assertionProperty ?property ; owl:targetIndividual ?other
}
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  BIND(kg:individual() AS ?one)
  BIND(kg:individual() AS ?other)
}
