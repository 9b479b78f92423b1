# name: RemoveDatatypeDefinition
# does: remove the definition of a datatype, and keep its declaration
# target: tbox
# tidies: yes
# sets: owl-el, owl-dl
# before:
#   :Small a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf ( 1 ) ] .
# after:
#   :Small a rdfs:Datatype .
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE { ?datatype owl:equivalentClass ?range }
WHERE {
  ?datatype a rdfs:Datatype ; owl:equivalentClass ?range .
  FILTER(isIRI(?datatype))
}
