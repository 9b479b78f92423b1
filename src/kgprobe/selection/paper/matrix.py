"""The paper's matrix M: the entities of an ontology that each test uses, found by reading the test, not by running it.

- A class that a test names is a node, unless it occurs only inside a property edge.
- A property edge is an edge in a matrix file, a restriction that a query spells out, or a triple pattern from one class
  to another. Without a kind of restriction, it stands for every kind.
- A property that is named alone stands for all edges with it.

To find restrictions, the triple patterns of a query are read as a graph in which variables are blank nodes, by the same
reader as an ontology. A restriction counts if it has a class, a property, a kind and a filler without variables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.selection.paper.expressions import (
    UNDEFINED,
    Entity,
    Expressions,
    ExpressionTexts,
    local_name,
    names_in,
    spelled,
    with_names,
)
from kgprobe.selection.paper.model import NOTHING, OntologyGraph, definitions, part_edges
from kgprobe.selection.tests import TermUse, Test, TestUse
from kgprobe.sparql.uses import PathUse, Slot, TripleUse

_Shape: TypeAlias = tuple[Term | Slot | None, ...]  # a pattern with None for its variables


@dataclass(frozen=True)
class Row:
    """A test, the entities that it names, and the properties that it names alone, which stand for many entities."""

    test: Test
    entities: frozenset[Entity]
    properties: frozenset[str]


def matrix(tests: Iterable[Test], graph: OntologyGraph) -> list[Row]:
    """The entities of the old version of an ontology that tests use."""
    return [_row(test, graph) for test in tests]


def entities_of(test: Test, graph: OntologyGraph) -> frozenset[Entity]:
    """All entities that a test uses. An edge that the ontology lacks is included as written."""
    row = _row(test, graph)
    return row.entities.union(*(graph.edges_by_name[name] for name in row.properties))


def _row(test: Test, graph: OntologyGraph) -> Row:
    restrictions = query_edges(test.patterns)
    direct = {pattern: edges for pattern in restrictions.others if (edges := _direct_edges(pattern, graph))}
    others = [pattern for pattern in restrictions.others if pattern not in direct]
    as_edges = {*map(_shape, test.patterns)}.difference(map(_shape, others))
    spelled_out = frozenset(_as_known(edge, graph) for edge in restrictions.edges)
    entities = spelled_out.union(*direct.values(), *(_written_edges(*edge, graph) for edge in test.edges))
    uses = [use for use in (*test.uses, *test.terms) if not _is_end_of_edge(use, test)]
    names = dict.fromkeys(chain(_names_in_patterns(others), _names_in_uses(uses, as_edges)))
    classes = [Entity(name) for name in names if graph.numbers.get(name, NOTHING) != NOTHING]
    properties = [name.value for name in names if name not in graph.numbers and name.value in graph.edges_by_name]
    return Row(test, entities.union(classes), frozenset(properties))


# -- property edges ----------------------------------------------------------------------------------------------------


def _direct_edges(pattern: TriplePattern, graph: OntologyGraph) -> list[Entity]:
    """The edges that a triple pattern between two classes refers to."""
    source, name, target = pattern
    if not (isinstance(source, NamedNode) and isinstance(name, NamedNode) and isinstance(target, NamedNode)):
        return []
    if source not in graph.numbers or target not in graph.numbers or name.value not in graph.edges_by_name:
        return []
    return _of_any_kind(source, target, spelled(name), graph) or [Entity(source, target, spelled(name))]


def _as_known(edge: Entity, graph: OntologyGraph) -> Entity:
    """An edge of a query in the ontology's spelling: a query need not say that a property is a data property."""
    of_data = edge._replace(target=RDFS.Literal)
    return of_data if edge.target == OWL.Thing and of_data in graph.property_edges else edge


def _written_edges(source: Term, target: Term | None, written: str, graph: OntologyGraph) -> list[Entity]:
    """The edges that a row of a matrix file denotes; without a target, edges to any target."""
    label = _normal(written)
    found = [edge for edge in _between(source, target, graph) if label in _spellings(edge.label or "")]
    if not found and "[" not in label:
        found = _of_any_kind(source, target, label, graph)
    return found or [Entity(source, target, written)]


def _of_any_kind(source: Term, target: Term | None, name: str, graph: OntologyGraph) -> list[Entity]:
    return [
        edge
        for edge in _between(source, target, graph)
        if any(name in _spellings(f"<{iri}>") for iri in names_in(edge.label or ""))
    ]


def _between(source: Term, target: Term | None, graph: OntologyGraph) -> Iterator[Entity]:
    edges = graph.edges_by_source.get(source, ())
    return (edge for edge in edges if target is None or edge.target == target)


def _spellings(label: str) -> set[str]:
    """The ways to write a label: unchanged, with bare IRIs, and with short names."""
    return {_normal(text) for text in (label, with_names(label, str), with_names(label, local_name))}


def _normal(label: str) -> str:
    return " ".join(label.split()).replace(" [", "[")


# -- names -------------------------------------------------------------------------------------------------------------


def _is_end_of_edge(use: TestUse, test: Test) -> bool:
    """Whether a matrix file names a term only as an end of an edge, `source label target`."""
    if not isinstance(use, TermUse):
        return False
    return any(use.term in (source, target) and f" {label}" in use.text for source, target, label in test.edges)


def _names_in_patterns(patterns: Iterable[TriplePattern]) -> Iterator[NamedNode]:
    return (part for pattern in patterns for part in pattern if isinstance(part, NamedNode))


def _names_in_uses(uses: Iterable[TestUse], as_edges: Collection[_Shape]) -> Iterator[NamedNode]:
    """The names in all uses except those of patterns that became edges as a whole."""
    for use in uses:
        if isinstance(use, TermUse):
            yield from _names([use.term])
        elif isinstance(use, PathUse):
            yield from _names(chain(_terms(use.subject), (name for name, _ in use.edges), _terms(use.object)))
        elif isinstance(use, TripleUse):
            slots = use.subject, use.predicate, use.object
            if not as_edges or tuple(map(_only_term, slots)) not in as_edges:
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
    """The term of a slot, or None for a variable, as in a shape; no shape has a choice of terms."""
    if slot.terms is None:
        return None
    return next(iter(slot.terms)) if len(slot.terms) == 1 else slot


def _shape(pattern: TriplePattern) -> _Shape:
    return tuple(None if isinstance(part, Variable) else part for part in pattern)


# -- restrictions in queries -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueryEdges:
    """The property edges that a query spells out, and the remaining patterns."""

    edges: frozenset[Entity]
    others: tuple[TriplePattern, ...]


def query_edges(patterns: Sequence[TriplePattern]) -> QueryEdges:
    """Find the restrictions in the patterns of a query."""
    has_restrictions = any(predicate == OWL.onProperty for _, predicate, _ in patterns)
    if not has_restrictions or not any(map(_is_about_a_class, patterns)):
        return QueryEdges(frozenset(), tuple(patterns))
    triples = _as_triples(patterns)
    graph = Graph(triple for triple in triples if triple is not None)
    expressions = Expressions(graph)
    texts = ExpressionTexts(graph, expressions)
    edges: set[Entity] = set()
    spent: set[Triple] = set()
    for source, expression in definitions(graph, expressions):
        for part in expressions.conjuncts(expression):
            found = list(part_edges(source, part, expressions, texts))
            if found and not any(UNDEFINED in (edge.label or "") for edge in found):
                edges.update(found)
                spent |= _making_up(graph, source, expression, part)
    return QueryEdges(frozenset(edges), tuple(p for p, t in zip(patterns, triples, strict=True) if t not in spent))


def _is_about_a_class(pattern: TriplePattern) -> bool:
    """Whether it can put a named class below or equal to an expression: exactly one end has a name."""
    one, predicate, other = pattern
    if isinstance(one, Variable) == isinstance(other, Variable):
        return False
    return predicate in (RDFS.subClassOf, OWL.equivalentClass, OWL.intersectionOf, OWL.unionOf, OWL.complementOf)


def _as_triples(patterns: Iterable[TriplePattern]) -> list[Triple | None]:
    """The patterns as triples, with blank nodes for variables; None for a pattern that cannot be a triple."""
    blanks: dict[Variable, BlankNode] = {}

    def term(part: Variable | Term) -> Term:
        return blanks.setdefault(part, BlankNode(f"v{len(blanks)}")) if isinstance(part, Variable) else part

    triples: list[Triple | None] = []
    for pattern in patterns:
        s, p, o = map(term, pattern)
        if isinstance(s, NamedNode | BlankNode) and isinstance(p, NamedNode):
            triples.append(Triple(s, p, o))
        else:
            triples.append(None)
    return triples


def _making_up(graph: Graph, source: Term, expression: Key, part: Key) -> set[Triple]:
    """The triples that define a part and connect it to the class."""
    name = graph.key(source)
    rows = {row for link in ((name, expression), (expression, name)) for row in graph.rows(link[0], None, link[1])}
    pending, seen = [part], {part}
    while pending:
        node = pending.pop()
        if type(graph.term(node)) is BlankNode:
            spelling = [row for row in graph.rows(node) if _spells(graph.term(row[1]))]
            rows.update(spelling)
            following = {row[2] for row in spelling} - seen
            seen |= following
            pending += following
    return set(map(graph.triple, rows))


def _spells(predicate: Term) -> bool:
    """Whether triples with this predicate are part of how an expression is written."""
    return predicate.value.startswith(OWL.iri) or predicate in (RDF.first, RDF.rest)
