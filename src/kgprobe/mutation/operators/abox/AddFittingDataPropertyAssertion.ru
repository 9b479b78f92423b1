# name: AddFittingDataPropertyAssertion
# does: add a data property relation from an individual in the domains of the property to a value in its range
# target: abox
# sets: abox
# rdfmutate: AddRelationMutationSophisticated
# before:
#   :power a owl:DatatypeProperty ; rdfs:domain :Pump ; rdfs:range xsd:decimal . :p a :Pump . :t a :Tank .
# after:
#   :power a owl:DatatypeProperty ; rdfs:domain :Pump ; rdfs:range xsd:decimal . :t a :Tank .
#   :p a :Pump ; :power "*"^^xsd:decimal .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?individual ?property ?value }
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:subjectFor(?property) AS ?individual)
  BIND(kg:value(?property) AS ?value)
}
