# name: AddFittingObjectPropertyAssertion
# does: add an object property relation between two individuals that are in the domains and ranges of the property
# target: abox
# sets: abox
# rdfmutate: AddObjectPropertyRelationSophisticated, AddRelationMutationSophisticated
# before:
#   :feeds a owl:ObjectProperty ; rdfs:domain :Device ; rdfs:range :Tank . :Pump rdfs:subClassOf :Device .
#   :p a :Pump . :t a :Tank .
# after:
#   :feeds a owl:ObjectProperty ; rdfs:domain :Device ; rdfs:range :Tank . :Pump rdfs:subClassOf :Device .
#   :p a :Pump ; :feeds :t . :t a :Tank .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one ?property ?other }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  BIND(kg:subjectFor(?property) AS ?one)
  BIND(kg:objectFor(?property) AS ?other)
}
