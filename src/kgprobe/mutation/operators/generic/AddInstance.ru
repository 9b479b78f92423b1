# name: AddInstance
# does: add a new instance of a class
# target: abox
# sets: generic, abox
# paper: table 1
# rdfmutate: AddInstanceMutation
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:1 a :Pump , owl:NamedIndividual .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?instance a ?class , owl:NamedIndividual }
WHERE {
  ?class a owl:Class .
  FILTER(isIRI(?class))
  BIND(kg:fresh() AS ?instance)
}
