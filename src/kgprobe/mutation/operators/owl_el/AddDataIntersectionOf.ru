# name: AddDataIntersectionOf
# does: add a subclass axiom with an existential restriction to an intersection of two datatypes
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 35
# rdfmutate: AddELDataIntersectionOfMutation
# before:
#   :Pump a owl:Class . :name a owl:DatatypeProperty .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf [
#     a owl:Restriction ; owl:onProperty :name ;
#     owl:someValuesFrom [ a rdfs:Datatype ; owl:intersectionOf ( xsd:decimal xsd:integer ) ] ] .
#   :name a owl:DatatypeProperty .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?class rdfs:subClassOf [
  a owl:Restriction ; owl:onProperty ?property ;
  owl:someValuesFrom [ a rdfs:Datatype ; owl:intersectionOf ( ?one ?other ) ] ] }
WHERE {
  ?class a owl:Class .
  FILTER(kg:isClass(?class))
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  # No datatype is in both lists: two equal ones would be no intersection.
  BIND(kg:pick(xsd:decimal, xsd:string, xsd:dateTime, rdfs:Literal, rdf:PlainLiteral, owl:real) AS ?one)
  BIND(kg:pick(
    xsd:integer, xsd:nonNegativeInteger, owl:rational, xsd:normalizedString, xsd:token, xsd:NCName, xsd:dateTimeStamp,
    xsd:hexBinary, xsd:anyURI, rdf:XMLLiteral) AS ?other)
}
