# name: AddClassAssertion
# does: add a class assertion for an individual
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 44
# rdfmutate: AddClassAssertionMutation
# before:
#   :Pump a owl:Class . :Device a owl:Class . :x a :Pump .
# after:
#   :Pump a owl:Class . :Device a owl:Class . :x a :Pump , :Device .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?individual a ?class }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  BIND(kg:individual() AS ?individual)
}
