# name: RemoveAllDisjointObjectProperties
# does: remove the axiom that several object properties are disjoint
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :heats a owl:ObjectProperty .
#   [] a owl:AllDisjointProperties ; owl:members (:drives :feeds :heats) .
# after:
#   :drives a owl:ObjectProperty . :feeds a owl:ObjectProperty . :heats a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>

DELETE { ?axiom a owl:AllDisjointProperties ; owl:members ?members }
WHERE {
  ?axiom a owl:AllDisjointProperties ; owl:members ?members .
  ?members rdf:first ?one .
  ?one a owl:ObjectProperty .
  FILTER(isBlank(?axiom))
}
