# name: AddAnnotation
# does: annotate a declared class, property, datatype or individual with a label or a comment
# target: both
# sets: owl-el, owl-dl, annotations
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class ; rdfs:comment "*"^^xsd:string .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT { ?entity ?property ?text }
WHERE {
  ?entity a ?kind .
  FILTER(isIRI(?entity))
  FILTER(?kind IN (
    owl:Class, owl:ObjectProperty, owl:DatatypeProperty, owl:AnnotationProperty, rdfs:Datatype, owl:NamedIndividual
  ))
  BIND(kg:pick(rdfs:label, rdfs:comment) AS ?property)
  BIND(kg:value(xsd:string) AS ?text)
}
