# name: AddSameIndividual
# does: add an axiom that two individuals are the same
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 50
# rdfmutate: AddSameIndividualAssertionMutation
# before:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
# after:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual . :a owl:sameAs :b .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one owl:sameAs ?other }
WHERE {
  BIND(kg:individual() AS ?one)
  BIND(kg:individual(?one) AS ?other)
}
