# name: AddDataPropertyDomain
# does: add a domain for a data property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 16
# rdfmutate: AddDataPropDomainMutation
# before:
#   :Pump a owl:Class . :p a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class . :p a owl:DatatypeProperty ; rdfs:domain :Pump .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property rdfs:domain ?class }
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
}
