"""Triples and namespaces that must not change.

The triples of a pinned file are looked up once for each table. After that, a check takes time in proportion to the
changes of the graph: a pinned triple of the table is missing if and only if it is among the changes.

Blank nodes of a pinned file may have other labels in the graph. Most pinned components (see `kgprobe.rdf.canonical`)
are complete copies from the graph, and are found by their fingerprints. A component that is only part of a larger one
needs a search, node by node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError
from kgprobe.masks.mask import Cost, Rejection
from kgprobe.masks.results import triple_text
from kgprobe.rdf.canonical import Component, component_fingerprint, components
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple

__all__ = ["PinnedNamespace", "PinnedTriples", "TooAlikeError", "images"]

# The search takes exponential time for large symmetric components.
_MOST_STEPS = 1_000_000


def embed_all(
    wanted: Sequence[Component], graph: Graph, taken: frozenset[BlankNode] = frozenset()
) -> list[Component | None]:
    """The image of each component: the same triples with blank nodes of the graph; None if there is no image.

    Images do not share blank nodes, and do not use the `taken` nodes.
    """
    if not wanted:
        return []
    by_fingerprint: dict[str, list[Component]] = defaultdict(list)
    for candidate in components(graph)[1]:
        if taken.isdisjoint(blanks_of(candidate)):
            by_fingerprint[component_fingerprint(candidate)].append(candidate)
    images: list[Component | None] = []
    for component in wanted:
        whole = by_fingerprint[component_fingerprint(component)]
        images.append(whole.pop(0) if whole else None)
    taken = taken.union(*(blanks_of(image or ()) for image in images))
    for n, component in enumerate(wanted):
        if images[n] is None:
            image = images[n] = _embed(component, graph, taken)
            taken |= blanks_of(image or ())
    return images


def blanks_of(triples: Iterable[Triple]) -> set[BlankNode]:
    """The blank nodes in these triples."""
    return {node for triple in triples for node in (triple.subject, triple.object) if isinstance(node, BlankNode)}


class TooAlikeError(InputError):
    """Too many blank nodes are too similar to find the pinned ones."""


def images(component: Component, graph: Graph, *, apart: bool, most_steps: int) -> Iterator[Component]:
    """All images of a component. With `apart`, different blank nodes have different images."""
    return _Search(graph, set(), apart=apart, most_steps=most_steps).images(list(component), {}, set())


def _embed(component: Component, graph: Graph, taken: frozenset[BlankNode]) -> Component | None:
    search = _Search(graph, {graph.key(node) for node in taken}, apart=True, most_steps=_MOST_STEPS)
    return next(search.images(list(component), {}, set()), None)


class _Search:
    """Searches for a part of a graph, triple by triple, with backtracking."""

    def __init__(self, graph: Graph, taken: set[Key], *, apart: bool, most_steps: int) -> None:
        self._graph = graph
        self._taken = taken
        self._apart = apart
        self._most_steps = most_steps
        self._steps = 0

    def images(self, rest: list[Triple], places: dict[BlankNode, Key], used: set[Key]) -> Iterator[Component]:
        """All ways to place the remaining triples; `places` maps the blank nodes placed so far."""
        if not rest:
            yield []
            return
        # Start with the triple that has the fewest candidates.
        triple = min(rest, key=lambda triple: self._graph.count(*self._pattern(triple, places)))
        others = [other for other in rest if other is not triple]
        for row in list(self._graph.rows(*self._pattern(triple, places))):
            self._steps += 1
            if self._steps > self._most_steps:
                raise TooAlikeError(f"too many indistinguishable blank nodes to find this triple: {triple}")
            new = self._placed(triple, row, places, used)
            if new is not None:
                for image in self.images(others, places | new, used | set(new.values())):
                    yield [self._graph.triple(row), *image]

    def _pattern(self, triple: Triple, places: dict[BlankNode, Key]) -> tuple[Key | None, Key | None, Key | None]:
        def known(term: Any) -> Key | None:  # pyoxigraph's types allow triples in triples
            return places.get(term) if isinstance(term, BlankNode) else self._graph.key(term)

        return known(triple.subject), known(triple.predicate), known(triple.object)

    def _placed(
        self, triple: Triple, row: KeyTriple, places: dict[BlankNode, Key], used: set[Key]
    ) -> dict[BlankNode, Key] | None:
        """The places of a triple's blank nodes if the triple is mapped to this row; None if that is impossible."""
        new: dict[BlankNode, Key] = {}
        for node, key in zip((triple.subject, triple.object), (row[0], row[2]), strict=True):
            if not isinstance(node, BlankNode) or node in places:
                continue
            if (
                key in self._taken
                or not isinstance(self._graph.term(key), BlankNode)
                or new.setdefault(node, key) != key
            ):
                return None
            if self._apart and (key in used or list(new.values()).count(key) > 1):
                return None
        return new


# -- the check ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Resolved:
    """The pinned triples in a table: the rows that it has, and the triples and components that it lacks."""

    rows: frozenset[KeyTriple]
    missing: tuple[Triple, ...]
    missing_components: tuple[Component, ...]
    taken: frozenset[BlankNode]  # images of other components, not available for missing ones


class PinnedTriples:
    """A graph must have all pinned triples. Pinned blank nodes match blank nodes with any labels.

    Connected blank nodes are located in the table once. From then on, the triples of exactly these nodes must stay: a
    second copy elsewhere in the graph does not replace them.
    """

    cost = Cost.CHANGES

    def __init__(self, pinned: Graph, name: str, label: str = "") -> None:
        """`label` is what reports call these triples, if that is not the name."""
        self.name = name
        self.label = label or Path(name).name
        self.pinned = pinned
        self._names = frozenset(term for term in pinned.terms() if isinstance(term, NamedNode))
        self._ground, self._components = components(pinned)
        self._resolved = PerTable(self._resolve)

    def __reduce__(self) -> tuple[object, ...]:
        return (PinnedTriples, (self.pinned, self.name, self.label))

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
                    f"{triple_text(graph.triple(keys), graph.spelling)} is pinned, but was removed",
                )
        for triple in resolved.missing:
            if triple not in graph:
                yield _subject(triple), f"{triple_text(triple, graph.spelling)} is pinned, but does not exist"
        images = embed_all(resolved.missing_components, graph, resolved.taken)
        for component, image in zip(resolved.missing_components, images, strict=True):
            if image is None:
                words = f"{_text(component, graph.spelling)} is pinned, but nothing like it exists"
                yield _subject(component[0]), words

    def _resolve(self, table: TripleTable) -> _Resolved:
        graph = Graph.from_table(table)
        images = embed_all(self._components, graph)
        present = [triple for triple in self._ground if triple in graph]
        triples = [triple for image in images for triple in image or ()]
        return _Resolved(
            rows=frozenset(map(graph.keys, [*present, *triples])),
            missing=tuple(triple for triple in self._ground if triple not in graph),
            missing_components=tuple(
                component for component, image in zip(self._components, images, strict=True) if image is None
            ),
            taken=frozenset(blanks_of(triples)),
        )


class PinnedNamespace:
    """The triples of subjects whose IRI begins with this text must not change.

    This is a condition on changes: a graph without changes since loading is always admissible.
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
        violations = []
        for keys, added in graph.changed_keys.items():
            subject = graph.term(keys[0])
            if self._is_inside(subject):
                what = f"{triple_text(graph.triple(keys), graph.spelling)} was {'added' if added else 'removed'}"
                words = f"{what}, and nothing about subjects in <{self.namespace}> may change"
                violations.append(Rejection(self.name, subject, words))
        return violations

    def _is_inside(self, subject: Term) -> bool:
        return isinstance(subject, NamedNode) and subject.value.startswith(self.namespace)


def _text(component: Component, spelling: Spelling) -> str:
    """The triples of a component as one line, sorted, because a component has no order."""
    return " . ".join(sorted(triple_text(triple, spelling) for triple in component))


def _subject(triple: Triple) -> Term:
    assert not isinstance(triple.subject, Triple)  # noqa: S101 - our readers make no triples about triples
    return triple.subject
