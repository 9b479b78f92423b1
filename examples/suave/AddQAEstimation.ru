# name: AddQAEstimation
# does: add an estimation of a quality attribute to a function design
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
