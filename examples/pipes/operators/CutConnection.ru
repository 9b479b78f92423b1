# name: CutConnection
# does: disconnect two pipe segments that are next to each other
# target: abox
# domain-specific: yes
# before:
#   :p1 a :Pipe ; :nextTo :p2 .
#   :p2 a :Pipe ; :nextTo :p1 .
# after:
#   :p1 a :Pipe . :p2 a :Pipe .
PREFIX : <https://kgprobe.example/pipes#>

DELETE { ?one :nextTo ?other . ?other :nextTo ?one }
WHERE { ?one :nextTo ?other . ?other :nextTo ?one }
