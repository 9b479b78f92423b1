# name: AddRangedDataProperty
# does: add the declaration of a new data property with a datatype as its range
# target: tbox
# sets: owl-el, owl-dl
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:name a owl:DatatypeProperty ; rdfs:range xsd:token .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

# Most ontologies have no data properties. Without this operator, their mutants would hardly contain datatypes.
INSERT { ?new a owl:DatatypeProperty ; rdfs:range ?datatype }
WHERE {
  BIND(kg:fresh() AS ?new)
  # The last three are there twice, because no literal has them as its datatype.
  BIND(kg:pick(
    xsd:string, xsd:normalizedString, xsd:token, xsd:Name, xsd:NCName, xsd:NMTOKEN,
    xsd:decimal, xsd:integer, xsd:nonNegativeInteger, owl:rational,
    xsd:dateTime, xsd:dateTimeStamp, xsd:hexBinary, xsd:base64Binary, xsd:anyURI, rdf:XMLLiteral,
    owl:real, rdfs:Literal, rdf:PlainLiteral, owl:real, rdfs:Literal, rdf:PlainLiteral) AS ?datatype)
}
