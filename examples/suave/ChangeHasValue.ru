# name: ChangeHasValue
# does: change the value of a quality attribute to a random decimal
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: ChangeHasValueMutation
# before:
#   suave:qa_search_efficiency_low tomasys:hasValue 0.25 .
# after:
#   suave:qa_search_efficiency_low tomasys:hasValue "*"^^xsd:decimal .
PREFIX kg: <urn:kgprobe:function:>
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

DELETE { ?quality tomasys:hasValue ?old }
INSERT { ?quality tomasys:hasValue ?new }
WHERE {
  ?quality tomasys:hasValue ?old .
  BIND(kg:value(xsd:decimal) AS ?new)
}
