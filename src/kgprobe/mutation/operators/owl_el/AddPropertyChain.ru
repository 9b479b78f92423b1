# name: AddPropertyChain
# does: add a sub-property relation with a chain of two object properties
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 28
# rdfmutate: AddPropertyChainMutation
# before:
#   :p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty .
# after:
#   :p a owl:ObjectProperty ; owl:propertyChainAxiom ( :q :r ) . :q a owl:ObjectProperty . :r a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?implied owl:propertyChainAxiom ( ?first ?second ) }
WHERE {
  ?first a owl:ObjectProperty .
  ?second a owl:ObjectProperty .
  ?implied a owl:ObjectProperty .
  FILTER(kg:isObjectProperty(?first))
  FILTER(kg:isObjectProperty(?second))
  FILTER(kg:isObjectProperty(?implied))
  FILTER(kg:mayChain(?first, ?second, ?implied))
}
