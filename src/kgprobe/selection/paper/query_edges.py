"""Restrictions that a query spells out: the same labels as for an ontology, from the same reader.

The triple patterns of a query are read as a graph in which variables are blank nodes. A restriction counts if it is
known whole: a class, a property, a kind and a filler without variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.selection.paper.entity import Entity
from kgprobe.selection.paper.expression_texts import ExpressionTexts
from kgprobe.selection.paper.expressions import Expressions
from kgprobe.selection.paper.labels import UNDEFINED
from kgprobe.selection.paper.property_edges import definitions, part_edges

__all__ = ["QueryEdges", "query_edges"]


@dataclass(frozen=True)
class QueryEdges:
    """The property edges that are spelled out, and the patterns that are left."""

    edges: frozenset[Entity]
    others: tuple[TriplePattern, ...]


def query_edges(patterns: Sequence[TriplePattern]) -> QueryEdges:
    """Find the restrictions in the patterns of a query."""
    has_restrictions = any(predicate == OWL.onProperty for _, predicate, _ in patterns)
    if not has_restrictions or not any(map(_is_about_a_class, patterns)):
        return QueryEdges(frozenset(), tuple(patterns))
    triples = _as_triples(patterns)
    graph = Graph(each for each in triples if each is not None)
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
    """Whether it can say what a named class is below or the same as: an end has a name, and the other has none."""
    one, predicate, other = pattern
    if isinstance(one, Variable) == isinstance(other, Variable):
        return False
    return predicate in (RDFS.subClassOf, OWL.equivalentClass, OWL.intersectionOf, OWL.unionOf, OWL.complementOf)


def _as_triples(patterns: Iterable[TriplePattern]) -> list[Triple | None]:
    """The patterns as triples, with blank nodes for variables; None for what can be no triple."""
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
    """The triples that say that the class has the part, and what the part is."""
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
