# name: AddImport
# does: add a direct import of an ontology that is only imported indirectly
# target: both
# sets: imports
# before:
#   <https://kgprobe.example/plant> a owl:Ontology ; owl:imports <https://kgprobe.example/pumps> .
#   <https://kgprobe.example/pumps> a owl:Ontology ; owl:imports <https://kgprobe.example/units> .
#   <https://kgprobe.example/units> a owl:Ontology .
# after:
#   <https://kgprobe.example/plant> a owl:Ontology ;
#     owl:imports <https://kgprobe.example/pumps>, <https://kgprobe.example/units> .
#   <https://kgprobe.example/pumps> a owl:Ontology ; owl:imports <https://kgprobe.example/units> .
#   <https://kgprobe.example/units> a owl:Ontology .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# Whoever loads the mutant must find what it imports. What another ontology imports, and was found, can be found again.
INSERT { ?ontology owl:imports ?imported }
WHERE {
  ?ontology a owl:Ontology .
  ?importer owl:imports ?imported .
  FILTER(kg:mayImport(?ontology, ?imported))
}
