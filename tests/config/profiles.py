"""A folder with a profile and all the files that it names, for tests."""

from __future__ import annotations

from pathlib import Path

__all__ = ["GRAPH", "OPERATOR", "write_folder"]

GRAPH = """@prefix : <http://example.org/> .
@prefix food: <http://example.org/food#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/cafe> a owl:Ontology ; owl:imports <http://example.org/food> .
:Drink a owl:Class ; rdfs:subClassOf food:Item .
:Tea a owl:Class ; rdfs:subClassOf :Drink . :Coffee a owl:Class ; rdfs:subClassOf :Drink .
:espresso a :Coffee .
"""
IMPORTED = """@prefix food: <http://example.org/food#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/food> a owl:Ontology .
food:Item a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty food:p ; owl:someValuesFrom food:Item ] .
food:Cake a owl:Class ; rdfs:subClassOf food:Item .
"""
OPERATOR = """# name: {name}
# does: {does} a subclass relation
# target: tbox
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
{request}
"""


def write_folder(folder: Path, profile: str) -> Path:
    """Write the files and return the path of the profile."""
    (folder / "ontologies").mkdir()
    (folder / "operators").mkdir()
    (folder / "cafe.ttl").write_text(GRAPH)
    (folder / "ontologies" / "food.ttl").write_text(IMPORTED)
    add = "INSERT { ?a rdfs:subClassOf ?b } WHERE { ?a a owl:Class . ?b a owl:Class FILTER(?a != ?b) }"
    remove = "DELETE { ?a rdfs:subClassOf ?b } WHERE { ?a rdfs:subClassOf ?b }"
    (folder / "operators" / "add.ru").write_text(OPERATOR.format(name="Add", does="add", request=add))
    (folder / "operators" / "cut.ru").write_text(OPERATOR.format(name="Cut", does="remove", request=remove))
    (folder / "fixed.ttl").write_text("<http://example.org/espresso> a <http://example.org/Coffee> .")
    (folder / "shapes.ttl").write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://example.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":S a sh:NodeShape ; sh:targetNode :Tea ; sh:property [ sh:path rdfs:subClassOf ; sh:minCount 1 ] ."
    )
    (folder / "has-espresso.rq").write_text("ASK { :espresso a :Coffee }")
    path = folder / "profile.toml"
    path.write_text(profile)
    return path
