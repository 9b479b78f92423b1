# name: AddObjectPropertyDomain
# does: add a domain for an object property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 15
# rdfmutate: AddObjectPropDomainMutation
# before:
#   :Pump a owl:Class . :p a owl:ObjectProperty .
# after:
#   :Pump a owl:Class . :p a owl:ObjectProperty ; rdfs:domain :Pump .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property rdfs:domain ?class }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
}
