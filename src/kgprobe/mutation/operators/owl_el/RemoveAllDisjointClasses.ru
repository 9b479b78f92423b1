# name: RemoveAllDisjointClasses
# does: remove an axiom that says of several classes that no two of them share an instance
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# paper: table 2, row 9
# before:
#   [] a owl:AllDisjointClasses ; owl:members ( :Pump :Pipe :Robot ) .
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# All else that the node has goes along.
DELETE { ?axiom a owl:AllDisjointClasses }
WHERE { ?axiom a owl:AllDisjointClasses . FILTER(isBlank(?axiom)) }
