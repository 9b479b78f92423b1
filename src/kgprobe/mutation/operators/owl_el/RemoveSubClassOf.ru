# name: RemoveSubClassOf
# does: remove a subclass relation, with the class expressions in it
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 5
# rdfmutate: RemoveSubclassRelationMutation
# before:
#   :Pump a owl:Class ; rdfs:subClassOf :Device . :Device a owl:Class .
# after:
#   :Pump a owl:Class . :Device a owl:Class .
# before:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :Pump ] .
# after:
#   :Pump a owl:Class .
# before:
#   [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :Pump ] rdfs:subClassOf :Pump .
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class .
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?sub rdfs:subClassOf ?super }
WHERE { ?sub rdfs:subClassOf ?super }
