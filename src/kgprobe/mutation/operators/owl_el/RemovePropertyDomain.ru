# name: RemovePropertyDomain
# does: remove a domain of an object or a data property, with the class expression in it
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 17
# rdfmutate: RemoveDomainRelationMutation
# before:
#   :p a owl:ObjectProperty ; rdfs:domain :Pump .
# after:
#   :p a owl:ObjectProperty .
# before:
#   :p a owl:DatatypeProperty ; rdfs:domain :Pump .
# after:
#   :p a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?property rdfs:domain ?domain }
WHERE {
  ?property rdfs:domain ?domain .
  FILTER NOT EXISTS { ?property a owl:AnnotationProperty }
}
