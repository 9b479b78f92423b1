# name: AddSubClassOf
# does: add a subclass relation between two classes
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 4
# rdfmutate: AddSubclassRelationMutation
# before:
#   :Pump a owl:Class . :Device a owl:Class .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf :Device . :Device a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?sub rdfs:subClassOf ?super }
WHERE {
  ?sub a owl:Class .
  ?super a owl:Class .
  FILTER(kg:isClass(?sub))
  FILTER(kg:isClass(?super))
  FILTER(?sub != ?super)
}
