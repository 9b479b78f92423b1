# name: AddNewImport
# does: import a new, empty ontology, which is in the graph, too
# target: both
# sets: imports
# before:
#   <https://kgprobe.example/plant> a owl:Ontology .
# after:
#   <https://kgprobe.example/plant> a owl:Ontology ; owl:imports new:pumps .
#   new:pumps a owl:Ontology .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# Like any ontology that was read together with its imports, the mutant contains what it imports.
INSERT { ?ontology owl:imports ?new . ?new a owl:Ontology }
WHERE {
  ?ontology a owl:Ontology .
  BIND(kg:fresh() AS ?new)
}
