# name: AddNegativeDataPropertyAssertion
# does: add a negative data property relation from an individual
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 54
# rdfmutate: AddNegativeDataPropertyRelationMutation
# before:
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string . :a a owl:NamedIndividual .
# after:
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string . :a a owl:NamedIndividual .
#   [] a owl:NegativePropertyAssertion ;
#     owl:sourceIndividual :a ; owl:assertionProperty :name ; owl:targetValue "*" .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT {
  [] a owl:NegativePropertyAssertion ;
    owl:sourceIndividual ?individual ; owl:assertionProperty ?property ; owl:targetValue ?value
}
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:individual() AS ?individual)
  BIND(kg:value(?property) AS ?value)
}
