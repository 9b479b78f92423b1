# name: RemoveInstance
# does: remove an individual, with all triples that it occurs in
# target: abox
# deletes-nodes: ?instance
# sets: generic
# before:
#   :Pump a owl:Class . :p1 a :Pump , owl:NamedIndividual ; :drives :p2 . :p2 :drives :p1 .
# after:
#   :Pump a owl:Class .
PREFIX kg: <urn:kgprobe:function:>

DELETE { }
WHERE { BIND(kg:individual() AS ?instance) }
