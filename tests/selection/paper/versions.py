"""Small ontologies in Turtle, read like a user's files, and their models according to the paper."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from kgprobe.entailment.class_hierarchy import ClassEdges, class_edges
from kgprobe.entailment.stated_hierarchy import ClassNodes
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.selection.paper.expressions import Entity, short_names
from kgprobe.selection.paper.model import OntologyGraph, ontology_graph
from kgprobe.selection.paper.planning import Sets, affected
from kgprobe.sparql.uses import Slot, TripleUse

__all__ = ["EX", "graph_of", "iri", "model_of", "node", "rows", "shown", "told", "unclassified", "use_of"]

EX = "http://example.org/"
_PREFIXES = f"""
@prefix : <{EX}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def iri(name: str) -> NamedNode:
    """A name of the examples."""
    return NamedNode(EX + name)


def node(name: str) -> Entity:
    """⟨name, -, -⟩."""
    return Entity(iri(name))


def graph_of(turtle: str) -> Graph:
    """The graph of a file with this text and some prefixes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ontology.ttl"
        file.write_text(_PREFIXES + turtle)
        return load(file).graph


def model_of(turtle: str) -> OntologyGraph:
    """The model of an ontology, after it was classified."""
    graph = graph_of(turtle)
    return ontology_graph(graph, class_edges(graph))


def told(edges: Iterable[tuple[Term, Term]], classes: Iterable[Term], unsatisfiable: Iterable[Term] = ()) -> ClassEdges:
    """A hierarchy with exactly these edges."""
    return ClassEdges(ClassNodes.of(classes, edges), frozenset(unsatisfiable), "as the test says")


def unclassified(turtle: str) -> OntologyGraph:
    """The model of an ontology without its hierarchy, for tests of property edges."""
    return ontology_graph(graph_of(turtle), told([], []))


def rows(entities: Iterable[Entity], *models: OntologyGraph) -> set[tuple[str | None, ...]]:
    """Entities in readable form: local names, short labels, and `-` for missing parts."""
    names = short_names(*(model.property_edges for model in models))
    found = [names.row(each) for each in entities]
    return {tuple("-" if part is None else _short(part) for part in row) for row in found}


def shown(old: OntologyGraph, new: OntologyGraph) -> dict[str, set[tuple[str | None, ...]]]:
    """ADD, DELETE and AFFECT in readable form."""
    sets: Sets = affected(old, new)
    return {name: rows(getattr(sets, name), old, new) for name in ("add", "delete", "affect")}


def use_of(pattern: TriplePattern) -> TripleUse:
    """The use of a query with this pattern."""
    subject, predicate, object_ = (
        Slot(variable=part.name) if isinstance(part, Variable) else Slot(frozenset([part])) for part in pattern
    )
    return TripleUse(subject, predicate, object_)


def _short(part: str) -> str:
    for namespace, prefix in (
        (EX, ""),
        ("http://www.w3.org/2002/07/owl#", "owl:"),
        ("http://www.w3.org/2001/XMLSchema#", "xsd:"),
        ("http://www.w3.org/2000/01/rdf-schema#", "rdfs:"),
    ):
        if part.startswith(namespace):
            return prefix + part.removeprefix(namespace)
    return part
