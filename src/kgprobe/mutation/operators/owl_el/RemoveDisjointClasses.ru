# name: RemoveDisjointClasses
# does: remove a disjointness relation between two classes, with the class expressions in it
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 9
# rdfmutate: RemoveDisjointClassRelationMutation
# before:
#   :Pump a owl:Class ; owl:disjointWith :Device . :Device a owl:Class .
# after:
#   :Pump a owl:Class . :Device a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?one owl:disjointWith ?other }
WHERE { ?one owl:disjointWith ?other }
