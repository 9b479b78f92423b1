"""Property paths as edges: the ways in which a path can match, each with the edges that it needs."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from kgprobe.queries.patterns.facts import ScopedVariable
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import Part
from kgprobe.sparql.paths import (
    AlternativePath,
    EdgePath,
    NegatedPath,
    Path,
    RepeatedPath,
    SequencePath,
    directed,
    legs,
)

__all__ = ["Link", "ways"]

# Paths with more ways than this prove nothing: each way is a question for the reasoner.
_MOST_WAYS = 12


class Link(NamedTuple):
    """An edge between two nodes. Without a predicate, it may be any. A walk is one or several edges in a row."""

    start: Part
    predicate: NamedNode | None
    end: Part
    is_walk: bool = False


def ways(path: Path, ends: Link, place: int) -> list[tuple[Link, ...]] | None:
    """The ways in which a path connects two ends; None if there are too many.

    A way has the edges that it needs: none if the path may have no step, only the first and the last for a repetition.
    Nodes between the ends are hidden variables of the path at this place.
    """
    return _Ways(place).of(path, ends)


def _edge(ends: Link, predicate: NamedNode | None, *, backwards: bool) -> Link:
    start, end = directed(ends.start, ends.end, backwards=backwards)
    return Link(start, predicate, end)


class _Ways:
    def __init__(self, place: int) -> None:
        self._place = place
        self._made = 0

    def _between(self) -> Variable:
        self._made += 1
        return ScopedVariable("", hidden=True, scopes=(self._place, self._made))

    def of(self, path: Path, ends: Link) -> list[tuple[Link, ...]] | None:
        match path:
            case EdgePath(edges):
                found: list[tuple[Link, ...]] = [
                    (_edge(ends, predicate, backwards=backwards),)
                    for predicate, backwards in sorted(edges, key=lambda edge: (edge[0].value, edge[1]))
                ]
                return found if len(found) <= _MOST_WAYS else None
            case NegatedPath(backwards=backwards):
                return [(_edge(ends, None, backwards=backwards),)]
            case SequencePath(parts):
                steps = legs(ends.start, parts, ends.end, self._between)
                return self._joined([self.of(part, Link(start, None, end)) for start, part, end in steps])
            case AlternativePath(parts):
                return self._either([self.of(part, ends) for part in parts])
            case RepeatedPath(may_be_none=True):
                return [()]
            case RepeatedPath(inner=inner):
                # One step is the first and the last at once: then the two hidden nodes are the ends.
                first = self.of(inner, Link(ends.start, None, self._between()))
                last = self.of(inner, Link(self._between(), None, ends.end))
                walk: list[tuple[Link, ...]] = [()]
                if isinstance(inner, EdgePath) and len(inner.edges) == 1:
                    walk = [tuple(link._replace(is_walk=True) for link in way) for way in self.of(inner, ends) or ()]
                return self._joined([first, last, walk])

    def _joined(self, parts: list[list[tuple[Link, ...]] | None]) -> list[tuple[Link, ...]] | None:
        """All ways of all parts together. A part with too many ways adds nothing."""
        known = [part for part in parts if part is not None]
        count = 1
        for part in known:
            count *= len(part)
        if count > _MOST_WAYS:
            return None
        return [tuple(link for way in choice for link in way) for choice in product(*known)]

    def _either(self, parts: list[list[tuple[Link, ...]] | None]) -> list[tuple[Link, ...]] | None:
        found: list[tuple[Link, ...]] = []
        for part in parts:
            if part is None:
                return None
            found += part
        return found if len(found) <= _MOST_WAYS else None
