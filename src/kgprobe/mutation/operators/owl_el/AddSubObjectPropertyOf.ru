# name: AddSubObjectPropertyOf
# does: add a sub-property relation between two object properties
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 22
# rdfmutate: AddSubObjectPropMutation
# before:
#   :p a owl:ObjectProperty . :q a owl:ObjectProperty .
# after:
#   :p a owl:ObjectProperty ; rdfs:subPropertyOf :q . :q a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?sub rdfs:subPropertyOf ?super }
WHERE {
  ?sub a owl:ObjectProperty .
  ?super a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?sub))
  FILTER(kg:isObjectProperty(?super))
  FILTER(?sub != ?super)
  FILTER(kg:mayImply(?sub, ?super))
}
