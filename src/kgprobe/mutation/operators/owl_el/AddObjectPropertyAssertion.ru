# name: AddObjectPropertyAssertion
# does: add an object property relation between two individuals
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 46
# rdfmutate: AddObjectPropertyRelationMutation
# before:
#   :drives a owl:ObjectProperty .
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual .
# after:
#   :drives a owl:ObjectProperty .
#   :a a owl:NamedIndividual . :b a owl:NamedIndividual . :a :drives :b .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one ?property ?other }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  BIND(kg:individual() AS ?one)
  BIND(kg:individual() AS ?other)
}
