# name: AddDatatypeDefinition
# does: add a datatype that is defined by its only value
# target: tbox
# sets: owl-dl
# paper: table 2, row 40
# rdfmutate: AddDatatypeDefinition
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf ( "*" ) ] .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX kg: <urn:kgprobe:function:>

# Not in owl-el: OWL 2 EL has these axioms, but tools such as OWLAPI hold every datatype against the profile that is not
# in its list, and no datatype with a definition is.
INSERT { ?new a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf ( ?value ) ] }
WHERE {
  BIND(kg:fresh() AS ?new)
  BIND(kg:pick(xsd:string, xsd:token, xsd:decimal, xsd:integer, xsd:nonNegativeInteger, xsd:dateTime, xsd:anyURI) AS ?datatype)
  BIND(kg:value(?datatype) AS ?value)
}
