# name: AddSubDataPropertyOf
# does: add a sub-property relation between two data properties
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 23
# rdfmutate: AddSubDataPropMutation
# before:
#   :p a owl:DatatypeProperty . :q a owl:DatatypeProperty .
# after:
#   :p a owl:DatatypeProperty ; rdfs:subPropertyOf :q . :q a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?sub rdfs:subPropertyOf ?super }
WHERE {
  ?sub a owl:DatatypeProperty .
  ?super a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?sub))
  FILTER(kg:isDataProperty(?super))
  FILTER(?sub != ?super)
}
