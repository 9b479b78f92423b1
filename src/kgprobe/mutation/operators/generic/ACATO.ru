# name: ACATO
# does: replace "and" by "or" in a class expression, such as one in a subclass axiom
# target: tbox
# sets: generic, owl-dl
# paper: table 1
# rdfmutate: ACATOMutation
# before:
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:intersectionOf (:Device :Driven) ] .
# after:
#   :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Driven) ] .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?expression owl:intersectionOf ?operands }
INSERT { ?expression owl:unionOf ?operands }
WHERE { ?expression owl:intersectionOf ?operands }
