# name: RemoveSegment
# does: remove a pipe segment and all statements about it
# target: abox
# domain-specific: yes
# deletes-nodes: ?segment
# before:
#   :auv :isAt :p1 . :p1 a :Pipe ; :nextTo :p2 . :p2 a :Pipe ; :nextTo :p1 .
# after:
#   :auv :isAt :p1 . :p1 a :Pipe .
PREFIX : <https://kgprobe.example/pipes#>

DELETE { }
WHERE { ?segment a :Pipe }
