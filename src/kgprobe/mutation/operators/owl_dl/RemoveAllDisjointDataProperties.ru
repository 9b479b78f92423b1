# name: RemoveAllDisjointDataProperties
# does: remove the axiom that several data properties are disjoint
# target: tbox
# tidies: yes
# sets: owl-dl
# before:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :width a owl:DatatypeProperty .
#   [] a owl:AllDisjointProperties ; owl:members (:weight :height :width) .
# after:
#   :weight a owl:DatatypeProperty . :height a owl:DatatypeProperty . :width a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>

DELETE { ?axiom a owl:AllDisjointProperties ; owl:members ?members }
WHERE {
  ?axiom a owl:AllDisjointProperties ; owl:members ?members .
  ?members rdf:first ?one .
  ?one a owl:DatatypeProperty .
  FILTER(isBlank(?axiom))
}
