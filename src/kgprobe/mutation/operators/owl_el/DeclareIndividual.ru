# name: DeclareIndividual
# does: add the declaration of a new individual
# target: abox
# sets: owl-el, owl-dl, abox
# paper: table 2, row 42
# rdfmutate: AddIndividualMutation
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a owl:NamedIndividual .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?new a owl:NamedIndividual }
WHERE { BIND(kg:fresh() AS ?new) }
