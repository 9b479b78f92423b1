# name: AddAllDifferent
# does: add an axiom that two individuals, and a new one, all differ
# target: abox
# sets: owl-el, owl-dl
# before:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
# after:
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual . new:c a owl:NamedIndividual .
#   [] a owl:AllDifferent ; owl:members (:a :b new:c) .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?new a owl:NamedIndividual . [] a owl:AllDifferent ; owl:members (?one ?other ?new) }
WHERE {
  BIND(kg:individual() AS ?one)
  BIND(kg:individual(?one) AS ?other)
  BIND(kg:fresh() AS ?new)
}
