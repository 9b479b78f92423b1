# name: AddSegment
# does: add a pipe segment next to an existing one
# target: abox
# domain-specific: yes
# before:
#   :p1 a :Pipe .
# after:
#   :p1 a :Pipe ; :nextTo new:1 .
#   new:1 a :Pipe ; :nextTo :p1 .
PREFIX : <https://kgprobe.example/pipes#>
PREFIX kg: <urn:kgprobe:function:>

INSERT { ?new a :Pipe ; :nextTo ?old . ?old :nextTo ?new }
WHERE {
  ?old a :Pipe .
  BIND(kg:fresh(:p) AS ?new)
}
