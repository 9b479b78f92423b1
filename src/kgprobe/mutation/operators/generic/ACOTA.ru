# name: ACOTA
# does: replace "or" by "and" in a class expression, such as one in a subclass axiom
# target: tbox
# sets: generic, owl-dl
# paper: table 1
# rdfmutate: ACOTAMutation
# before:
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Driven) ] .
# after:
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:intersectionOf (:Device :Driven) ] .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?expression owl:unionOf ?operands }
INSERT { ?expression owl:intersectionOf ?operands }
WHERE { ?expression owl:unionOf ?operands }
