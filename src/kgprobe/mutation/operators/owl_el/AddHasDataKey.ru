# name: AddHasDataKey
# does: add an axiom that a data property is a key for the instances of a class
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 41
# rdfmutate: AddHasKeyMutation
# before:
#   :Pump a owl:Class . :p a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class ; owl:hasKey ( :p ) . :p a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class owl:hasKey ( ?property ) }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
}
