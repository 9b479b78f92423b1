# name: AddDataSomeValuesFrom
# does: add a subclass axiom with an existential restriction: some value is in a datatype
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 38
# rdfmutate: AddELSimpleDataSomeValuesFromMutation
# before:
#   :Pump a owl:Class . :name a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :name ; owl:someValuesFrom xsd:string ] .
#   :name a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ?property ; owl:someValuesFrom ?datatype ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:pick(
    xsd:string, xsd:normalizedString, xsd:token, xsd:Name, xsd:NCName, xsd:NMTOKEN,
    xsd:decimal, xsd:integer, xsd:nonNegativeInteger, owl:real, owl:rational,
    xsd:dateTime, xsd:dateTimeStamp, xsd:hexBinary, xsd:base64Binary, xsd:anyURI,
    rdfs:Literal, rdf:PlainLiteral, rdf:XMLLiteral) AS ?datatype)
}
