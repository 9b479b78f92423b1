# name: DeclareObjectProperty
# does: add the declaration of a new object property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 2
# rdfmutate: DeclareObjectPropMutation
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a owl:ObjectProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?new a owl:ObjectProperty }
WHERE { BIND(kg:fresh() AS ?new) }
