# name: MoveRobot
# does: move the robot to another pipe segment
# target: abox
# domain-specific: yes
# before:
#   :auv :isAt :p1 . :p1 a :Pipe . :p2 a :Pipe .
# after:
#   :auv :isAt :p2 . :p1 a :Pipe . :p2 a :Pipe .
PREFIX : <https://kgprobe.example/pipes#>

DELETE { :auv :isAt ?old }
INSERT { :auv :isAt ?new }
WHERE {
  :auv :isAt ?old .
  ?new a :Pipe .
  FILTER NOT EXISTS { :auv :isAt ?new }
}
