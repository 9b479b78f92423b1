# name: AnnotateAnnotation
# does: annotate an annotation of an axiom with a label or a comment
# target: both
# sets: annotations
# before:
#   :Pump a owl:Class ; rdfs:subClassOf :Device .
#   [] a owl:Axiom ; owl:annotatedSource :Pump ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Device ;
#     rdfs:comment "why" .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf :Device .
#   _:axiom a owl:Axiom ;
#     owl:annotatedSource :Pump ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Device ;
#     rdfs:comment "why" .
#   [] a owl:Annotation ;
#     owl:annotatedSource _:axiom ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "why" ;
#     rdfs:label "*"^^xsd:string .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT {
  [] a owl:Annotation ;
    owl:annotatedSource ?axiom ; owl:annotatedProperty ?annotation ; owl:annotatedTarget ?value ; ?property ?text
}
WHERE {
  ?axiom a owl:Axiom ; ?annotation ?value .
  FILTER(?annotation IN (rdfs:label, rdfs:comment))
  FILTER(isBlank(?axiom))
  FILTER(isLiteral(?value))
  FILTER NOT EXISTS {
    ?note owl:annotatedSource ?axiom ; owl:annotatedProperty ?annotation ; owl:annotatedTarget ?value
  }
  BIND(kg:pick(rdfs:label, rdfs:comment) AS ?property)
  BIND(kg:value(xsd:string) AS ?text)
}
