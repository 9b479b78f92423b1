# name: AddThruster
# does: add a thruster to the robot: a component that the design with all thrusters requires
# target: abox
# domain-specific: yes
# paper: table 1
# rdfmutate: AddNewThrusterMutation
# before:
#   suave:fd_all_thrusters a tomasys:FunctionDesign .
# after:
#   suave:fd_all_thrusters a tomasys:FunctionDesign .
#   new:1 a owl:NamedIndividual , tomasys:Component ; mros:requiredBy suave:fd_all_thrusters .
PREFIX kg: <urn:kgprobe:function:>
PREFIX mros: <http://ros/mros#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX suave: <http://www.metacontrol.org/suave#>
PREFIX tomasys: <http://metacontrol.org/tomasys#>

INSERT { ?thruster a owl:NamedIndividual , tomasys:Component ; mros:requiredBy suave:fd_all_thrusters }
WHERE {
  suave:fd_all_thrusters a tomasys:FunctionDesign .
  BIND(kg:fresh(suave:c_thruster_) AS ?thruster)
}
