# name: AddDataHasValue
# does: add a subclass axiom with a restriction that requires a literal as a value
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 36
# rdfmutate: AddDataHasValueMutation
# before:
#   :Pump a owl:Class . :name a owl:DatatypeProperty ; rdfs:range xsd:string .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :name ; owl:hasValue "*" ] .
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:hasValue ?value ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:value(?property) AS ?value)
}
