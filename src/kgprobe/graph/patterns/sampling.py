"""One match of a pattern, each as likely as any other, without finding all of them.

A try draws the first triple uniformly. For each further one it draws a number below the most that this lookup can
return for any values (see `plan`), and takes the candidate with that number; where there is none, the try fails. Every
match then comes out of a try with the same probability, one in `bound`. A pattern whose tries keep failing has few
matches for its size, and is enumerated; as neither way prefers a match, nor does the choice between them.

Parts of a pattern that share no variable are drawn one by one: a cross product is never enumerated for its own sake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.pattern import Filter, TriplePattern, Variable, variables_of
from kgprobe.graph.patterns.plan import most_matches

__all__ = ["Walk", "any_of", "hold"]

# How many tries a connected part of a pattern gets. Enumerating it instead takes as long as some dozens of them.
_TRIES = 60

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Step:
    """One triple to draw: for each place its constant or the number of its variable, and the most that it can be."""

    constants: tuple[Key | None, ...]
    variables: tuple[int | None, ...]
    most: int


class Walk:
    """A connected part of a pattern, in the order in which to draw its triples, for the graphs of one table."""

    def __init__(self, graph: Graph, triples: Sequence[TriplePattern], filters: Sequence[Filter]) -> None:
        self.variables = variables_of(triples)
        numbers = {variable: number for number, variable in enumerate(self.variables)}
        loaded = Graph.from_table(graph.table)
        self._steps = [
            _Step(
                constants=tuple(None if isinstance(part, Variable) else graph.key(part) for part in triple),
                variables=tuple(numbers[part] if isinstance(part, Variable) else None for part in triple),
                most=most_matches(loaded, triple, variables_of(triples[:place])),
            )
            for place, triple in enumerate(triples)
        ]
        self._filters = [(found.holds, [numbers[v] for v in found.variables]) for found in filters]

    def draw(self, graph: Graph, random: Random) -> list[Key] | bool | None:
        """The values of the variables in one match; None if there is none; False if too many tries failed."""
        limits = [step.most for step in self._steps]
        if graph.changed_keys:
            limits = [step.most + graph.added(step.constants[1]) for step in self._steps]
        if 0 in limits:
            return None
        for _ in range(_TRIES):
            values: list[Key | None] = [None] * len(self.variables)
            for step, limit in zip(self._steps, limits, strict=True):
                if not _extend(graph, step, values, int(random.random() * limit)):
                    break
            else:
                if all(holds(graph, tuple(values[n] for n in places)) for holds, places in self._filters):  # type: ignore[misc]
                    return values  # type: ignore[return-value]  # each variable has a value now
        return False


def _extend(graph: Graph, step: _Step, values: list[Key | None], place: int) -> bool:
    """Give values to those variables of this triple that have none; False if there is no triple at this place."""
    (s, p, o), (x, y, z) = step.constants, step.variables
    row = graph.at(
        place,
        s if x is None else values[x],
        p if y is None else values[y],
        o if z is None else values[z],
    )
    if row is None:
        return False
    for number, key in zip(step.variables, row, strict=True):
        if number is not None:
            if values[number] is None:
                values[number] = key
            elif values[number] != key:  # a variable that is there twice
                return False
    return True


def hold(filters: Iterable[Filter], graph: Graph, values: dict[Variable, Key]) -> bool:
    """Whether all filters hold for these values."""
    return all(found.holds(graph, tuple(values[variable] for variable in found.variables)) for found in filters)


def any_of(candidates: Iterable[_T], random: Random) -> _T | None:
    """One of the candidates, each as likely as any other, in one pass and without keeping them."""
    chosen = None
    for count, candidate in enumerate(candidates, start=1):
        if random.random() * count < 1:
            chosen = candidate
    return chosen
