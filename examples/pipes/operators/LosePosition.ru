# name: LosePosition
# does: forget where the robot is
# target: abox
# domain-specific: yes
# before:
#   :auv a :Robot ; :isAt :p1 .
# after:
#   :auv a :Robot .
PREFIX : <https://kgprobe.example/pipes#>

DELETE { :auv :isAt ?segment }
WHERE { :auv :isAt ?segment }
