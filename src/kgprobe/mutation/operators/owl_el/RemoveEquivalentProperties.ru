# name: RemoveEquivalentProperties
# does: remove an equivalence relation between two object or data properties
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 27
# rdfmutate: RemoveEquivPropMutation
# before:
#   :p a owl:ObjectProperty ; owl:equivalentProperty :q . :q a owl:ObjectProperty .
# after:
#   :p a owl:ObjectProperty . :q a owl:ObjectProperty .
# before:
#   :p a owl:DatatypeProperty ; owl:equivalentProperty :q . :q a owl:DatatypeProperty .
# after:
#   :p a owl:DatatypeProperty . :q a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:equivalentProperty ?other }
WHERE {
  ?one owl:equivalentProperty ?other .
  FILTER NOT EXISTS { ?one a owl:AnnotationProperty }
}
