# name: AddDataPropertyAssertion
# does: add a data property relation from an individual
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 53
# rdfmutate: BasicAddDataPropertyRelationMutation
# before:
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string . :a a owl:NamedIndividual .
# after:
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string . :a a owl:NamedIndividual ; :name "*" .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?individual ?property ?value }
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:individual() AS ?individual)
  BIND(kg:value(?property) AS ?value)
}
