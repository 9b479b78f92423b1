"""Which triples of a graph must be read together: those that share blank nodes, and what annotates a triple with it.

A cluster is closed: no triple outside of it has one of its blank nodes. So the axioms of a cluster can be read without
the rest of the graph, apart from the kinds of its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, BlankNode, Triple

__all__ = ["Clusters"]

_ANNOTATED = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)


class Clusters:
    """Finds the clusters of a graph, and of later states of it."""

    def __init__(self, graph: Graph) -> None:
        # RDF 1.2: a triple can be an object, and no index of a graph leads from a blank node inside it to it.
        self._quoting: dict[BlankNode, dict[Triple, None]] = {}
        self._note_quoted(graph.table.terms)
        self.note(graph.changed_keys)

    def note(self, changed: Iterable[KeyTriple]) -> None:
        """Call this with triples that are new, before asking for clusters of a graph that has them."""
        self._note_quoted(keys[2] for keys in changed)

    def around(self, graph: Graph, start: KeyTriple) -> dict[KeyTriple, None]:
        """The cluster of a triple, which the graph has."""
        found: dict[KeyTriple, None] = {start: None}
        pending = [start]
        seen: set[BlankNode] = set()
        annotated = graph.count(None, graph.key(_ANNOTATED[0]), None) > 0
        while pending:
            keys = pending.pop()
            neighbours: list[KeyTriple] = []
            for node in _blank_nodes(graph, (keys[0], keys[2])):
                if node not in seen:
                    seen.add(node)
                    neighbours += self._of_node(graph, node, annotated)
            if annotated:
                neighbours += _annotations(graph, keys)
            for neighbour in neighbours:
                if neighbour not in found:
                    found[neighbour] = None
                    pending.append(neighbour)
        return found

    def _of_node(self, graph: Graph, node: BlankNode, annotated: bool) -> Iterator[KeyTriple]:
        key = graph.key(node)
        yield from graph.rows(key)
        yield from graph.rows(None, None, key)
        for quoting in self._quoting.get(node, ()):
            yield from graph.rows(None, None, graph.key(quoting))  # type: ignore[arg-type]
        if annotated:
            parts = [graph.objects(key, graph.key(predicate)) for predicate in _ANNOTATED]
            if all(len(part) == 1 for part in parts):
                source, predicate, target = (part[0] for part in parts)
                if graph.has(source, predicate, target):
                    yield source, predicate, target

    def _note_quoted(self, terms: Iterable[object]) -> None:
        for term in terms:
            if type(term) is Triple:
                for node in _inside(term):
                    self._quoting.setdefault(node, {})[term] = None


def _annotations(graph: Graph, keys: KeyTriple) -> Iterator[KeyTriple]:
    """A triple of each node that says what it annotates, and that this is the triple with these keys."""
    source, _, target = (graph.key(predicate) for predicate in _ANNOTATED)
    few = min(((source, keys[0]), (target, keys[2])), key=lambda pair: graph.count(None, *pair))
    for node in graph.subjects(*few):
        if type(graph.term(node)) is BlankNode and all(
            graph.has(node, graph.key(predicate), part) for predicate, part in zip(_ANNOTATED, keys, strict=True)
        ):
            yield node, source, keys[0]


def _blank_nodes(graph: Graph, parts: Iterable[Key]) -> Iterator[BlankNode]:
    for part in parts:
        term: object = graph.term(part)
        if type(term) is BlankNode:
            yield term
        elif type(term) is Triple:
            yield from _inside(term)


def _inside(triple: Triple) -> Iterator[BlankNode]:
    pending: list[object] = [triple]
    while pending:
        part = pending.pop()
        if type(part) is Triple:
            pending += (part.subject, part.object)
        elif type(part) is BlankNode:
            yield part
