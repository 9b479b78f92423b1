"""The paper's matrix M: the entities of an ontology that each test uses, found by reading the test, not by running it.

- A class that a test names is a node, unless it stands only inside a property edge.
- A property edge is one that a matrix file names, a restriction that a query spells out, or a triple pattern from one
  class to another. If the kind of restriction is not told, it stands for every kind.
- A property that is named alone stands for all edges with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.terms import OWL, RDFS, NamedNode, Term
from kgprobe.queries.uses import PathUse, Slot, TripleUse
from kgprobe.selection.paper.entity import Entity
from kgprobe.selection.paper.labels import local_name, names_in, spelled, with_names
from kgprobe.selection.paper.model import NOTHING, OntologyGraph
from kgprobe.selection.paper.query_edges import query_edges
from kgprobe.selection.tests import TermUse, Test, TestUse

__all__ = ["Row", "entities_of", "matrix"]

_Shape: TypeAlias = tuple[Term | Slot | None, ...]  # a pattern with None for its variables


@dataclass(frozen=True)
class Row:
    """A test, the entities that it names, and the properties that it names alone, which stand for many entities."""

    test: Test
    entities: frozenset[Entity]
    properties: frozenset[str]


def matrix(tests: Iterable[Test], graph: OntologyGraph) -> list[Row]:
    """What tests use of the old version of an ontology."""
    return [_row(test, graph) for test in tests]


def entities_of(test: Test, graph: OntologyGraph) -> frozenset[Entity]:
    """All entities that a test uses. An edge that the ontology does not have is there as it is written."""
    row = _row(test, graph)
    return row.entities.union(*(graph.edges_by_name[name] for name in row.properties))


def _row(test: Test, graph: OntologyGraph) -> Row:
    restrictions = query_edges(test.patterns)
    direct = {pattern: edges for pattern in restrictions.others if (edges := _direct_edges(pattern, graph))}
    others = [pattern for pattern in restrictions.others if pattern not in direct]
    told = {*map(_shape, test.patterns)}.difference(map(_shape, others))
    spelled_out = frozenset(_as_known(edge, graph) for edge in restrictions.edges)
    entities = spelled_out.union(*direct.values(), *(_written_edges(*edge, graph) for edge in test.edges))
    uses = [use for use in test.uses if not _is_end_of_edge(use, test)]
    names = dict.fromkeys(chain(_names_in_patterns(others), _names_in_uses(uses, told)))
    classes = [Entity(name) for name in names if graph.numbers.get(name, NOTHING) != NOTHING]
    properties = [name.value for name in names if name not in graph.numbers and name.value in graph.edges_by_name]
    return Row(test, entities.union(classes), frozenset(properties))


# -- property edges ----------------------------------------------------------------------------------------------


def _direct_edges(pattern: TriplePattern, graph: OntologyGraph) -> list[Entity]:
    """The edges that a triple pattern between two classes speaks of."""
    source, name, target = pattern
    if not (isinstance(source, NamedNode) and isinstance(name, NamedNode) and isinstance(target, NamedNode)):
        return []
    if source not in graph.numbers or target not in graph.numbers or name.value not in graph.edges_by_name:
        return []
    return _of_any_kind(source, target, spelled(name), graph) or [Entity(source, target, spelled(name))]


def _as_known(edge: Entity, graph: OntologyGraph) -> Entity:
    """An edge of a query, which need not say that a property has values that are data, as the ontology has it."""
    of_data = edge._replace(target=RDFS.Literal)
    return of_data if edge.target == OWL.Thing and of_data in graph.property_edges else edge


def _written_edges(source: Term, target: Term | None, written: str, graph: OntologyGraph) -> list[Entity]:
    """The edges that a row of a matrix file means; a target that is not told stands for any."""
    label = _normal(written)
    found = [edge for edge in _between(source, target, graph) if label in _spellings(edge.label or "")]
    if not found and "[" not in label:
        found = _of_any_kind(source, target, label, graph)
    return found or [Entity(source, target, written)]


def _of_any_kind(source: Term, target: Term | None, name: str, graph: OntologyGraph) -> list[Entity]:
    return [
        edge
        for edge in _between(source, target, graph)
        if any(name in _spellings(f"<{each}>") for each in names_in(edge.label or ""))
    ]


def _between(source: Term, target: Term | None, graph: OntologyGraph) -> Iterator[Entity]:
    edges = graph.edges_by_source.get(source, ())
    return (edge for edge in edges if target is None or edge.target == target)


def _spellings(label: str) -> set[str]:
    """How a label may be written: as it is, with bare IRIs, and with short names."""
    return {_normal(each) for each in (label, with_names(label, str), with_names(label, local_name))}


def _normal(label: str) -> str:
    return " ".join(label.split()).replace(" [", "[")


# -- names -------------------------------------------------------------------------------------------------------


def _is_end_of_edge(use: TestUse, test: Test) -> bool:
    """Whether a term is only named as an end of an edge, `source label target`, in a matrix file."""
    if not isinstance(use, TermUse):
        return False
    return any(use.term in (source, target) and f" {label}" in use.text for source, target, label in test.edges)


def _names_in_patterns(patterns: Iterable[TriplePattern]) -> Iterator[NamedNode]:
    return (part for pattern in patterns for part in pattern if isinstance(part, NamedNode))


def _names_in_uses(uses: Iterable[TestUse], told: Collection[_Shape]) -> Iterator[NamedNode]:
    """The names in all uses but those that stand for a pattern of which all is told."""
    for use in uses:
        if isinstance(use, TermUse):
            yield from _names([use.term])
        elif isinstance(use, PathUse):
            yield from _names(chain(_terms(use.subject), (name for name, _ in use.edges), _terms(use.object)))
        elif isinstance(use, TripleUse):
            slots = use.subject, use.predicate, use.object
            if not told or tuple(map(_only_term, slots)) not in told:
                yield from _names(chain.from_iterable(map(_terms, slots)))
            for condition in use.conditions:
                yield from _names_in_text(condition.text)


def _names_in_text(text: str) -> Iterator[NamedNode]:
    for name in names_in(text):
        with suppress(ValueError):  # `?a<?b&&?c>?d` has no name between its signs
            yield NamedNode(name)


def _names(terms: Iterable[Term]) -> Iterator[NamedNode]:
    return (term for term in terms if isinstance(term, NamedNode))


def _terms(slot: Slot) -> Iterable[Term]:
    return slot.terms or ()


def _only_term(slot: Slot) -> Term | Slot | None:
    """The term of a slot, or None for anything, as in a shape; a choice of terms is in none."""
    if slot.terms is None:
        return None
    return next(iter(slot.terms)) if len(slot.terms) == 1 else slot


def _shape(pattern: TriplePattern) -> _Shape:
    return tuple(None if isinstance(part, Variable) else part for part in pattern)
