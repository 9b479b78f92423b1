"""Finding triples with blank nodes in a graph, where these nodes have other labels.

A component is what blank nodes hold together (see `kgprobe.graph.canonical`). Most pinned components are copied from
the graph whole, and those are found by their fingerprints. A component that is only part of a larger one is searched
for, node by node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kgprobe.errors import InputError
from kgprobe.graph.canonical import Component, component_fingerprint, components
from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Triple

__all__ = ["TooAlikeError", "blanks_of", "embed_all", "images"]

# Searching is exponential for components that are large and look the same from everywhere.
_MOST_STEPS = 1_000_000


def embed_all(
    wanted: Sequence[Component], graph: Graph, taken: frozenset[BlankNode] = frozenset()
) -> list[Component | None]:
    """For each component its image: the same triples, but with blank nodes of the graph; None if it does not exist.

    No two images share a blank node, and none has one of the `taken` nodes.
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
    """Too many blank nodes are too similar to find some of them."""


def images(component: Component, graph: Graph, *, apart: bool, most_steps: int) -> Iterator[Component]:
    """All images of a component; `apart` if two of its blank nodes cannot become one."""
    return _Search(graph, set(), apart=apart, most_steps=most_steps).images(list(component), {}, set())


def _embed(component: Component, graph: Graph, taken: frozenset[BlankNode]) -> Component | None:
    search = _Search(graph, {graph.key(node) for node in taken}, apart=True, most_steps=_MOST_STEPS)
    return next(search.images(list(component), {}, set()), None)


class _Search:
    """Looks for a part of a graph, one triple after the other, and goes back where that leads nowhere."""

    def __init__(self, graph: Graph, taken: set[Key], *, apart: bool, most_steps: int) -> None:
        self._graph = graph
        self._taken = taken
        self._apart = apart
        self._most_steps = most_steps
        self._steps = 0

    def images(self, rest: list[Triple], places: dict[BlankNode, Key], used: set[Key]) -> Iterator[Component]:
        """All ways to place what is left; `places` says where blank nodes were put."""
        if not rest:
            yield []
            return
        # The triple with the fewest candidates leaves the least to try.
        triple = min(rest, key=lambda triple: self._graph.count(*self._pattern(triple, places)))
        others = [other for other in rest if other is not triple]
        for row in list(self._graph.rows(*self._pattern(triple, places))):
            self._steps += 1
            if self._steps > self._most_steps:
                raise TooAlikeError(f"too many blank nodes look alike to find this triple: {triple}")
            new = self._placed(triple, row, places, used)
            if new is not None:
                for image in self.images(others, places | new, used | set(new.values())):
                    yield [self._graph.triple(row), *image]

    def _pattern(self, triple: Triple, places: dict[BlankNode, Key]) -> tuple[Key | None, Key | None, Key | None]:
        def known(term: Any) -> Key | None:  # pyoxigraph's own types allow triples in triples
            return places.get(term) if isinstance(term, BlankNode) else self._graph.key(term)

        return known(triple.subject), known(triple.predicate), known(triple.object)

    def _placed(
        self, triple: Triple, row: KeyTriple, places: dict[BlankNode, Key], used: set[Key]
    ) -> dict[BlankNode, Key] | None:
        """Where the blank nodes of a triple get put if it becomes this row; None if they cannot be put there."""
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
