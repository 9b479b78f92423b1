# name: RemoveSubPropertyOf
# does: remove a sub-property relation between two object or data properties
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 24
# rdfmutate: RemoveSubPropMutation
# before:
#   :p a owl:ObjectProperty ; rdfs:subPropertyOf :q . :q a owl:ObjectProperty .
# after:
#   :p a owl:ObjectProperty . :q a owl:ObjectProperty .
# before:
#   :p a owl:DatatypeProperty ; rdfs:subPropertyOf :q . :q a owl:DatatypeProperty .
# after:
#   :p a owl:DatatypeProperty . :q a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?one rdfs:subPropertyOf ?other }
WHERE {
  ?one rdfs:subPropertyOf ?other .
  FILTER NOT EXISTS { ?one a owl:AnnotationProperty }
}
