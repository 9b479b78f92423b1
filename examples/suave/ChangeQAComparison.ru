# name: ChangeQAComparison
# does: change the operator that compares values of a quality attribute
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: ChangeQAComparisonOperatorMutation
# before:
#   suave:water_visibility tomasys:qa_comparison_operator "<" .
# after:
#   suave:water_visibility tomasys:qa_comparison_operator ">=" .
PREFIX kg: <urn:kgprobe:function:>
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

DELETE { ?attribute tomasys:qa_comparison_operator ?old }
INSERT { ?attribute tomasys:qa_comparison_operator ?new }
WHERE {
  ?attribute tomasys:qa_comparison_operator ?old .
  BIND(kg:pick("<", "<=", ">", ">=") AS ?new)
}
