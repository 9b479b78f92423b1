# name: RemoveTriple
# does: remove a triple
# target: both
# sets: generic
# paper: table 1
# rdfmutate: RemoveStatementMutation
# before:
#   :p1 :drives :p2 ; :weight 2.5 .
# after:
#   :p1 :weight 2.5 .

DELETE { ?subject ?predicate ?object }
WHERE { ?subject ?predicate ?object }
