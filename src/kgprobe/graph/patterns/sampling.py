"""One match of a pattern, each as likely as any other, without finding all of them.

A try draws the first triple uniformly. For each further one it draws a number below the most that this lookup can
return for any values (see `plan`), and takes the candidate with that number; where there is none, the try fails. Every
match then comes out of a try with the same probability, one in `bound`. A pattern whose tries keep failing has few
matches for its size, and is enumerated; as neither way prefers a match, nor does the choice between them.

Parts of a pattern that share no variable are drawn one by one: a cross product is never enumerated for its own sake.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias, TypeVar

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.pattern import Filter, TriplePattern, Variable
from kgprobe.graph.patterns.plan import most_matches

__all__ = ["TRIES", "Walk", "any_of"]

# How many tries a connected part of a pattern gets. Enumerating it instead takes as long as some dozens of them.
TRIES = 60

_T = TypeVar("_T")
_Known: TypeAlias = dict[Variable, Key]


@dataclass(frozen=True)
class Walk:
    """A connected part of a pattern: its triples in the order in which to draw them, and its own filters."""

    triples: tuple[TriplePattern, ...]
    filters: tuple[Filter, ...]
    # For each triple, the variables that have values when it is drawn.
    known: tuple[frozenset[Variable], ...]

    def draw(self, graph: Graph, random: Random, tries: int = TRIES) -> _Known | bool | None:
        """The values of one match; None if there is none; False if it could not be found in so many tries."""
        limits = [most_matches(graph, triple, known) for triple, known in zip(self.triples, self.known, strict=True)]
        if 0 in limits:
            return None
        for _ in range(tries):
            values: _Known = {}
            if all(
                _extend(graph, triple, values, random, limit)
                for triple, limit in zip(self.triples, limits, strict=True)
            ) and hold(self.filters, graph, values):
                return values
        return False


def hold(filters: Iterable[Filter], graph: Graph, values: _Known) -> bool:
    """Whether all filters hold for these values."""
    return all(found.holds(graph, tuple(values[variable] for variable in found.variables)) for found in filters)


def any_of(candidates: Iterable[_T], random: Random) -> _T | None:
    """One of the candidates, each as likely as any other, in one pass and without keeping them."""
    chosen = None
    for count, candidate in enumerate(candidates, start=1):
        if random.random() * count < 1:
            chosen = candidate
    return chosen


def _extend(graph: Graph, triple: TriplePattern, values: _Known, random: Random, limit: int) -> bool:
    """Draw values for the variables of this triple that have none; False if the draw failed."""
    s, p, o = (values.get(part) if isinstance(part, Variable) else graph.key(part) for part in triple)
    row = graph.at(int(random.random() * limit), s, p, o)
    if row is None:
        return False
    for part, key in zip(triple, row, strict=True):
        # A variable may be there twice: then both must be equal.
        if isinstance(part, Variable) and values.setdefault(part, key) != key:
            return False
    return True
