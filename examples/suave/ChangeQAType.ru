# name: ChangeQAType
# does: change the quality attribute to which a value belongs
# target: abox
# domain-specific: yes
# rdfmutate: ChangeQualityAttributTypeMutation
# before:
#   suave:water_visibility a tomasys:QualityAttributeType . suave:energy a tomasys:QualityAttributeType .
#   suave:qa_energy_low tomasys:isQAtype suave:energy .
# after:
#   suave:water_visibility a tomasys:QualityAttributeType . suave:energy a tomasys:QualityAttributeType .
#   suave:qa_energy_low tomasys:isQAtype suave:water_visibility .
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

DELETE { ?value tomasys:isQAtype ?old }
INSERT { ?value tomasys:isQAtype ?new }
WHERE {
  ?value tomasys:isQAtype ?old .
  ?new a tomasys:QualityAttributeType .
  FILTER(?new != ?old)
}
