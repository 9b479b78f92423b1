# name: DeclareDataProperty
# does: add the declaration of a new data property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 3
# rdfmutate: DeclareDataPropMutation
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?new a owl:DatatypeProperty }
WHERE { BIND(kg:fresh() AS ?new) }
