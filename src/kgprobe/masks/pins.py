"""Triples and namespaces that must stay as they are.

What a pinned file says is looked up once for a table. After that a check costs as much as the graph has changes: a
pinned triple that the table has is gone if and only if it is among the changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.graph.canonical import Component, components
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import BlankNode, NamedNode, Term, Triple
from kgprobe.masks.embedding import blanks_of, embed_all
from kgprobe.masks.mask import Cost, Rejection
from kgprobe.masks.results import triple_text

__all__ = ["PinnedNamespace", "PinnedTriples"]


@dataclass(frozen=True)
class _Resolved:
    """What the pinned triples are in a table: rows that it has, and what it lacks."""

    rows: frozenset[KeyTriple]
    missing: tuple[Triple, ...]
    missing_components: tuple[Component, ...]
    taken: frozenset[BlankNode]  # what a missing component cannot be found in: it stands for another one


class PinnedTriples:
    """All triples of a graph must be there; its blank nodes stand for blank nodes, whatever their labels.

    Blank nodes that hang together are found in the table once. From then on it is these very nodes whose triples must
    stay: a second copy elsewhere in the graph does not make up for them.
    """

    cost = Cost.CHANGES

    def __init__(self, pinned: Graph, name: str) -> None:
        self.name = name
        self.pinned = pinned
        self._names = frozenset(term for term in pinned.terms() if isinstance(term, NamedNode))
        self._ground, self._components = components(pinned)
        self._resolved = PerTable(self._resolve)

    def __reduce__(self) -> tuple[object, ...]:
        return (PinnedTriples, (self.pinned, self.name))

    def admits(self, graph: Graph) -> bool:
        return next(self._lost(graph), None) is None

    def mentions(self, name: NamedNode) -> bool:
        return name in self._names

    def rejections(self, graph: Graph) -> list[Rejection]:
        return [Rejection(self.name, subject, words) for subject, words in self._lost(graph)]

    def rows_in(self, table: TripleTable) -> frozenset[KeyTriple]:
        """The rows of the table that are pinned."""
        return self._resolved.of(table).rows

    def _lost(self, graph: Graph) -> Iterator[tuple[Term, str]]:
        resolved = self._resolved.of(graph.table)
        for keys in graph.changed_keys:
            if keys in resolved.rows:
                yield (
                    graph.term(keys[0]),
                    f"{triple_text(graph.triple(keys), graph.spelling)} is pinned, and was removed",
                )
        for triple in resolved.missing:
            if triple not in graph:
                yield _subject(triple), f"{triple_text(triple, graph.spelling)} is pinned, and is not there"
        images = embed_all(resolved.missing_components, graph, resolved.taken)
        for component, image in zip(resolved.missing_components, images, strict=True):
            if image is None:
                words = f"{_text(component, graph.spelling)} is pinned, and nothing like it is there"
                yield _subject(component[0]), words

    def _resolve(self, table: TripleTable) -> _Resolved:
        graph = Graph.from_table(table)
        images = embed_all(self._components, graph)
        present = [triple for triple in self._ground if triple in graph]
        found = [triple for image in images for triple in image or ()]
        return _Resolved(
            rows=frozenset(map(graph.keys, [*present, *found])),
            missing=tuple(triple for triple in self._ground if triple not in graph),
            missing_components=tuple(
                component for component, image in zip(self._components, images, strict=True) if image is None
            ),
            taken=frozenset(blanks_of(found)),
        )


class PinnedNamespace:
    """Nothing may change that is said about a subject whose IRI begins in this way.

    That is a condition on changes: a graph that has none since it was loaded is always admissible.
    """

    cost = Cost.CHANGES

    def __init__(self, namespace: str) -> None:
        self.name = namespace
        self.namespace = namespace

    def admits(self, graph: Graph) -> bool:
        return not any(self._is_inside(graph.term(keys[0])) for keys in graph.changed_keys)

    def mentions(self, name: NamedNode) -> bool:
        return name.value.startswith(self.namespace)

    def rejections(self, graph: Graph) -> list[Rejection]:
        found = []
        for keys, added in graph.changed_keys.items():
            subject = graph.term(keys[0])
            if self._is_inside(subject):
                what = f"{triple_text(graph.triple(keys), graph.spelling)} was {'added' if added else 'removed'}"
                words = f"{what}, and nothing about subjects in <{self.namespace}> may change"
                found.append(Rejection(self.name, subject, words))
        return found

    def _is_inside(self, subject: Term) -> bool:
        return isinstance(subject, NamedNode) and subject.value.startswith(self.namespace)


def _text(component: Component, spelling: Spelling) -> str:
    """The triples of a component as one line, in an order of their own: a component has none."""
    return " . ".join(sorted(triple_text(triple, spelling) for triple in component))


def _subject(triple: Triple) -> Term:
    assert not isinstance(triple.subject, Triple)  # noqa: S101 - no reader of ours makes triples about triples
    return triple.subject
