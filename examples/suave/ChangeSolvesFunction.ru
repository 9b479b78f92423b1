# name: ChangeSolvesFunction
# does: change the function that a function design solves
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: ChangeSolvesFunctionMutation
# before:
#   suave:f_maintain_motion a tomasys:Function . suave:f_follow_pipeline a tomasys:Function .
#   suave:fd_follow_pipeline tomasys:solvesF suave:f_follow_pipeline .
# after:
#   suave:f_maintain_motion a tomasys:Function . suave:f_follow_pipeline a tomasys:Function .
#   suave:fd_follow_pipeline tomasys:solvesF suave:f_maintain_motion .
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

DELETE { ?design tomasys:solvesF ?old }
INSERT { ?design tomasys:solvesF ?new }
WHERE {
  ?design tomasys:solvesF ?old .
  ?new a tomasys:Function .
  FILTER(?new != ?old)
}
