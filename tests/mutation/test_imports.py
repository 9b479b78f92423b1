"""Imports in mutants: an ontology never imports itself, or an ontology that was not found with the seed graph."""

from __future__ import annotations

import pytest

from kgprobe.mutation.catalogue import named, operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL

from .example_runner import EX, graph_of, outcomes

# Headers as in a graph that was read with its imports, and classes so that operators of all sets apply.
_HEADERS = """
:plant a owl:Ontology ; owl:versionIRI :plant1 ; owl:imports :pumps , :lost .
:pumps a owl:Ontology ; owl:versionIRI :pumps2 ; owl:imports :units3 .
:units a owl:Ontology ; owl:versionIRI :units3 ; owl:imports :words , :gone .
:words a owl:Ontology .
:alone a owl:Ontology .
[] a owl:Ontology .
:Pump a owl:Class ; rdfs:subClassOf :Device ; rdfs:label "pump" . :Device a owl:Class .
:feeds a owl:ObjectProperty ; rdfs:domain :Pump .
:p1 a owl:NamedIndividual , :Pump . :p2 a owl:NamedIndividual , :Pump .
"""


def _imports(graph: Graph) -> set[tuple[str, str]]:
    return {(str(t.subject), str(t.object)) for t in graph.triples(None, OWL.imports)}


def _added(text: str) -> set[tuple[str, str]]:
    """The imports that AddImport can add to a graph, as pairs of local names."""
    before = graph_of(text)
    known = _imports(before)
    found: set[tuple[str, str]] = set()
    for graph, _ in outcomes(named("AddImport"), before, 200):
        found |= _imports(graph) - known
    return {(importer[len(EX) + 1 : -1], imported[len(EX) + 1 : -1]) for importer, imported in found}


def test_added_imports_are_known_and_not_circular() -> None:
    assert _added(_HEADERS) == {
        *(("plant", "units3"), ("plant", "words"), ("pumps", "words")),
        *(("alone", "pumps"), ("alone", "units3"), ("alone", "words")),
    }


@pytest.mark.parametrize(
    "text",
    [
        ":plant a owl:Ontology .",
        ":plant a owl:Ontology ; owl:imports :pumps .",  # which was not found
        ":plant a owl:Ontology ; owl:imports :plant .",
        ":plant a owl:Ontology ; owl:versionIRI :plant1 . :pumps a owl:Ontology ; owl:imports :plant1 .",
        ":plant a owl:Ontology ; owl:versionIRI :v . :pumps a owl:Ontology ; owl:imports :plant . :x owl:imports :v .",
        ":a a owl:Ontology ; owl:imports :b . :b a owl:Ontology ; owl:imports :c . :c owl:imports :a ; a owl:Ontology.",
        ":plant a owl:Ontology ; owl:imports [ a owl:Ontology ] , 'pumps' . [] a owl:Ontology ; owl:imports :lost .",
        ":plant a owl:Ontology ; owl:imports :pumps . :pumps a owl:Class .",
    ],
)
def test_without_importable_ontologies_nothing_is_added(text: str) -> None:
    assert _added(text) == set()


@pytest.mark.parametrize("name", ["owl-el", "owl-dl", "abox"])
@pytest.mark.parametrize("seed", range(3))
def test_the_sets_for_ontologies_leave_imports_alone(name: str, seed: int) -> None:
    graph = graph_of(_HEADERS)
    operators = [Weighted(operator) for operator in operator_set(name)]
    made = [_imports(mutant.graph) for mutant in Generator(graph, operators, mutations=40, seed=seed).mutants(20)]
    assert made == [_imports(graph)] * 20


def test_added_and_removed_imports_are_never_circular() -> None:
    graph = graph_of(_HEADERS)
    generator = Generator(graph, [Weighted(operator) for operator in operator_set("imports")], mutations=4, seed=1)
    for mutant in generator.mutants(30):
        versions = {str(t.object): str(t.subject) for t in mutant.graph.triples(None, OWL.versionIRI)}
        edges = {(importer, versions.get(imported, imported)) for importer, imported in _imports(mutant.graph)}
        assert [importer for importer, _ in edges if importer in _reached(importer, edges)] == []
    assert set(generator.tally.applied) == {"AddImport", "AddNewImport", "RemoveImport"}


def _reached(start: str, edges: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    pending = [start]
    while pending:
        last = pending.pop()
        new = {after for before, after in edges if before == last} - found
        found |= new
        pending += new
    return found
