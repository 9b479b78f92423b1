# name: AddDataPropertyRange
# does: add a datatype of OWL 2 EL as the range of a data property
# target: tbox
# sets: owl-el, owl-dl
# paper: table 2, row 19
# rdfmutate: AddDataPropRangeMutation
# before:
#   :label a owl:DatatypeProperty .
# after:
#   :label a owl:DatatypeProperty ; rdfs:range xsd:string .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?property rdfs:range ?datatype }
WHERE {
  ?property a owl:DatatypeProperty .
  FILTER(kg:isDataProperty(?property))
  BIND(kg:pick(
    xsd:string, xsd:normalizedString, xsd:token, xsd:Name, xsd:NCName, xsd:NMTOKEN,
    xsd:decimal, xsd:integer, xsd:nonNegativeInteger, owl:real, owl:rational,
    xsd:dateTime, xsd:dateTimeStamp, xsd:hexBinary, xsd:base64Binary, xsd:anyURI,
    rdfs:Literal, rdf:PlainLiteral, rdf:XMLLiteral) AS ?datatype)
}
