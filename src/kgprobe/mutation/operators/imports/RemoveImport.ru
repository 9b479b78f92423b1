# name: RemoveImport
# does: remove the import of an ontology
# target: both
# tidies: yes
# sets: imports
# before:
#   <https://kgprobe.example/plant> a owl:Ontology ; owl:imports <https://kgprobe.example/pumps> .
# after:
#   <https://kgprobe.example/plant> a owl:Ontology .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE { ?ontology owl:imports ?imported }
WHERE { ?ontology owl:imports ?imported }
