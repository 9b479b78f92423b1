# name: RemoveQAEstimation
# does: remove the estimation of a quality attribute
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: RemoveQAEstimationMutation
# before:
#   suave:fd_spiral_low tomasys:hasQAestimation suave:qa_search_efficiency_low , suave:qa_water_visibility_low .
# after:
#   suave:fd_spiral_low tomasys:hasQAestimation suave:qa_search_efficiency_low .
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

DELETE { ?design tomasys:hasQAestimation ?value }
WHERE { ?design tomasys:hasQAestimation ?value }
