# name: AddObjectPropertyRange
# does: add a range for an object property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 18
# rdfmutate: AddObjectPropRangeMutation
# before:
#   :Pump a owl:Class . :drives a owl:ObjectProperty .
# after:
#   :Pump a owl:Class . :drives a owl:ObjectProperty ; rdfs:range :Pump .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property rdfs:range ?class }
WHERE {
  ?property a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?property))
  FILTER(kg:mayHaveRange(?property))
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
}
