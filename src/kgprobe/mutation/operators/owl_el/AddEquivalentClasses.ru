# name: AddEquivalentClasses
# does: add an equivalence relation between two classes
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 6
# rdfmutate: AddEquivalentClassRelationMutation
# before:
#   :Pump a owl:Class . :Device a owl:Class .
# after:
#   :Pump a owl:Class ; owl:equivalentClass :Device . :Device a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?one owl:equivalentClass ?other }
WHERE {
  ?one a owl:Class .
  ?other a owl:Class .
  FILTER(kg:isClass(?one))
  FILTER(kg:isClass(?other))
  FILTER(?one != ?other)
}
