# name: ConnectSegments
# does: connect two pipe segments
# target: abox
# domain-specific: yes
# before:
#   :p1 a :Pipe . :p2 a :Pipe .
# after:
#   :p1 a :Pipe ; :nextTo :p2 .
#   :p2 a :Pipe ; :nextTo :p1 .
PREFIX : <https://kgprobe.example/pipes#>

INSERT { ?one :nextTo ?other . ?other :nextTo ?one }
WHERE {
  ?one a :Pipe .
  ?other a :Pipe .
  FILTER(?one != ?other)
  FILTER NOT EXISTS { ?one :nextTo ?other }
}
