# name: ChangeDataProperty
# does: replace the value of a data property by another one in the range of the property
# target: abox
# tidies: yes
# sets: generic, abox
# paper: table 1
# rdfmutate: ChangeDataPropertyMutation, ChangeRelationMutationSophisticated
# before:
#   :weight a owl:DatatypeProperty ; rdfs:range xsd:decimal . :p1 :weight 2.5 .
# after:
#   :weight a owl:DatatypeProperty ; rdfs:range xsd:decimal . :p1 :weight "*"^^xsd:decimal .
# before:
#   :state a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ("on" "off") ] . :p1 :state "on" .
# after:
#   :state a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ("on" "off") ] . :p1 :state "off" .
# before:
#   :weight a owl:DatatypeProperty ; rdfs:range xsd:decimal . :p1 :weight 2.5 . [] a owl:Axiom ; rdfs:comment "seen" ;
#     owl:annotatedSource :p1 ; owl:annotatedProperty :weight ; owl:annotatedTarget 2.5 .
# after:
#   :weight a owl:DatatypeProperty ; rdfs:range xsd:decimal . :p1 :weight "*"^^xsd:decimal .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?subject ?property ?old }
INSERT { ?subject ?property ?new }
WHERE {
  ?property a owl:DatatypeProperty .
  ?subject ?property ?old .
  FILTER(isLiteral(?old))
  BIND(kg:value(?property) AS ?new)
}
