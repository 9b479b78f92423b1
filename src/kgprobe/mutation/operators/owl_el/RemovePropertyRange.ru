# name: RemovePropertyRange
# does: remove a range of an object or a data property, with the expression in it
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 21
# rdfmutate: RemoveRangeRelationMutation
# before:
#   :p a owl:ObjectProperty ; rdfs:range :Pump .
# after:
#   :p a owl:ObjectProperty .
# before:
#   :p a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( 1 ) ] .
# after:
#   :p a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?property rdfs:range ?range }
WHERE {
  ?property rdfs:range ?range .
  FILTER NOT EXISTS { ?property a owl:AnnotationProperty }
  # The last property of a chain must have the ranges of the implied one (OWL 2 Profiles, section 2.2.6).
  FILTER NOT EXISTS { ?cell rdf:first ?property ; rdf:rest rdf:nil }
}
