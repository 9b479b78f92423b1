# name: DeclareClass
# does: add the declaration of a new class
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 1
# rdfmutate: DeclareClassMutation
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a owl:Class .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?new a owl:Class }
WHERE { BIND(kg:fresh() AS ?new) }
