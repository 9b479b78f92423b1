# name: AddQAEstimation
# does: estimate a quality attribute of a function design that was not estimated before
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: AddQAEstimationMutation
# before:
#   suave:fd_spiral_low a tomasys:FunctionDesign . suave:qa_water_visibility_low a tomasys:QAvalue .
# after:
#   suave:fd_spiral_low a tomasys:FunctionDesign ; tomasys:hasQAestimation suave:qa_water_visibility_low .
#   suave:qa_water_visibility_low a tomasys:QAvalue .
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

INSERT { ?design tomasys:hasQAestimation ?value }
WHERE {
  ?design a tomasys:FunctionDesign .
  ?value a tomasys:QAvalue .
  FILTER NOT EXISTS { ?design tomasys:hasQAestimation ?value }
}
