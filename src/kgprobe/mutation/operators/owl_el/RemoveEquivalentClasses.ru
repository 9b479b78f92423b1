# name: RemoveEquivalentClasses
# does: remove an equivalence relation between two classes, with the class expressions in it
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 7
# rdfmutate: RemoveEquivClassRelationMutation
# before:
#   :Pump a owl:Class ; owl:equivalentClass :Device . :Device a owl:Class .
# after:
#   :Pump a owl:Class . :Device a owl:Class .
# before:
#   :Pump a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :Device :Tool ) ] .
# after:
#   :Pump a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?one owl:equivalentClass ?other }
WHERE {
  ?one owl:equivalentClass ?other .
  FILTER NOT EXISTS { ?one a rdfs:Datatype }
}
