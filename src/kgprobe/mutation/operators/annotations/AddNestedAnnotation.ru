# name: AddNestedAnnotation
# does: annotate an axiom about named things with a comment that has a label of its own
# target: both
# sets: annotations
# before:
#   :Pump a owl:Class ; rdfs:subClassOf :Device .
# after:
#   :Pump a owl:Class ; rdfs:subClassOf :Device .
#   _:axiom a owl:Axiom ;
#     owl:annotatedSource :Pump ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Device ;
#     rdfs:comment "*"^^xsd:string .
#   [] a owl:Annotation ;
#     owl:annotatedSource _:axiom ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "*"^^xsd:string ;
#     rdfs:label "*"^^xsd:string .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

INSERT {
  _:axiom a owl:Axiom ;
    owl:annotatedSource ?source ; owl:annotatedProperty ?predicate ; owl:annotatedTarget ?target ; rdfs:comment ?text .
  [] a owl:Annotation ;
    owl:annotatedSource _:axiom ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget ?text ; rdfs:label ?label
}
WHERE {
  ?source ?predicate ?target .
  FILTER(?predicate IN (
    rdfs:subClassOf, owl:equivalentClass, owl:disjointWith, rdfs:subPropertyOf, owl:equivalentProperty,
    rdfs:domain, rdfs:range, owl:sameAs, owl:differentFrom, rdfs:label, rdfs:comment
  ))
  FILTER(isIRI(?source))
  FILTER(!isBlank(?target))
  # Readers do not agree on whether an axiom with two such nodes is one axiom or two.
  FILTER NOT EXISTS {
    ?note owl:annotatedSource ?source ; owl:annotatedProperty ?predicate ; owl:annotatedTarget ?target
  }
  BIND(kg:value(xsd:string) AS ?text)
  BIND(kg:value(xsd:string) AS ?label)
}
