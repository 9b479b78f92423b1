# name: ChangeObjectPropertyAssertion
# does: replace the object of an object property relation by another individual in the ranges of the property
# target: abox
# tidies: yes
# sets: abox
# rdfmutate: ChangeObjectPropertyRelationMutation, ChangeObjectPropertyRelationMutationSophisticated, ChangeRelationMutationSophisticated
# before:
#   :feeds a owl:ObjectProperty ; rdfs:range :Tank . :p a :Pump ; :feeds :t . :t a :Tank . :u a :Tank .
# after:
#   :feeds a owl:ObjectProperty ; rdfs:range :Tank . :p a :Pump ; :feeds :u . :t a :Tank . :u a :Tank .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

DELETE { ?subject ?property ?old }
INSERT { ?subject ?property ?new }
WHERE {
  ?property a owl:ObjectProperty .
  ?subject ?property ?old .
  FILTER(kg:isObjectProperty(?property))
  FILTER(isIRI(?old))
  BIND(kg:objectFor(?property) AS ?new)
}
