# name: AddEquivalentDataProperties
# does: add an equivalence relation between two data properties
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 26
# rdfmutate: AddEquivDataPropMutation
# before:
#   :p a owl:DatatypeProperty . :q a owl:DatatypeProperty .
# after:
#   :p a owl:DatatypeProperty ; owl:equivalentProperty :q . :q a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one owl:equivalentProperty ?other }
WHERE {
  ?one a owl:DatatypeProperty .
  ?other a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?one))
  FILTER(kg:isDataProperty(?other))
  FILTER(?one != ?other)
}
