# name: AddDataOneOf
# does: add a subclass axiom with an existential restriction to an enumeration of one literal
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 37
# rdfmutate: AddELDataOneOfMutation
# before:
#   :Pump a owl:Class . :name a owl:DatatypeProperty ; rdfs:range xsd:string .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :name ; owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf ( "*" ) ] ] .
#   :name a owl:DatatypeProperty ; rdfs:range xsd:string .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf ( ?value ) ] ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:value(?property) AS ?value)
}
