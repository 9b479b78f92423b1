# name: AddImport
# does: let an ontology import itself, which OWL allows and which changes nothing of what it says
# target: both
# sets: owl-el, owl-dl
# before:
#   <https://kgprobe.example/plant> a owl:Ontology .
# after:
#   <https://kgprobe.example/plant> a owl:Ontology ; owl:imports <https://kgprobe.example/plant> .
PREFIX owl: <http://www.w3.org/2002/07/owl#>

# An import of anything else would have to be found when the mutant is loaded. This one is there already.
INSERT { ?ontology owl:imports ?ontology }
WHERE {
  ?ontology a owl:Ontology .
  FILTER(isIRI(?ontology))
}
