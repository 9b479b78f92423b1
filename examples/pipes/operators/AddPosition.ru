# name: AddPosition
# does: put the robot at a second pipe segment as well
# target: abox
# domain-specific: yes
# before:
#   :auv :isAt :p1 . :p2 a :Pipe .
# after:
#   :auv :isAt :p1 , :p2 . :p2 a :Pipe .
PREFIX : <https://kgprobe.example/pipes#>

INSERT { :auv :isAt ?segment }
WHERE {
  ?segment a :Pipe .
  FILTER NOT EXISTS { :auv :isAt ?segment }
}
