# name: AddTypedAnnotation
# does: annotate a declared class, property, datatype or individual with a value of any datatype
# target: both
# sets: owl-el, owl-dl, annotations
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class ; rdfs:comment "*"^^xsd:token .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT { ?entity ?property ?value }
WHERE {
  ?entity a ?kind .
  FILTER(isIRI(?entity))
  FILTER(?kind IN (
    owl:Class, owl:ObjectProperty, owl:DatatypeProperty, owl:AnnotationProperty, rdfs:Datatype, owl:NamedIndividual
  ))
  BIND(kg:pick(rdfs:comment, rdfs:seeAlso, owl:versionInfo) AS ?property)
  # The datatypes of OWL 2 EL that have literals.
  BIND(kg:pick(
    xsd:string, xsd:normalizedString, xsd:token, xsd:Name, xsd:NCName, xsd:NMTOKEN,
    xsd:decimal, xsd:integer, xsd:nonNegativeInteger, owl:rational, xsd:dateTime, xsd:dateTimeStamp,
    xsd:hexBinary, xsd:base64Binary, xsd:anyURI, rdf:XMLLiteral, rdf:langString) AS ?datatype)
  BIND(kg:value(?datatype) AS ?value)
}
