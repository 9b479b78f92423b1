"""Basic graph patterns with filters, matched by our own lookups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns import plan
from kgprobe.graph.patterns.enumeration import Matcher, compile_matcher
from kgprobe.graph.patterns.pattern import Pattern, TriplePattern, Variable, variables_of
from kgprobe.graph.patterns.sampling import Walk, any_of, hold
from kgprobe.graph.table import TripleTable

__all__ = ["NativeMatcher"]

# How often the parts of a cross product are drawn anew when the filters between them fail. Enumerating the product
# instead takes as long as its size, so it gets many tries.
_TRIES_ACROSS = 5_000


@dataclass(frozen=True)
class _Loops:
    """Compiled loops over some triples, and the constants in them."""

    matcher: Matcher
    constants: tuple[Any, ...]

    def run(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        return self.matcher(graph, [graph.key(term) for term in self.constants], given)


@dataclass(frozen=True)
class _Part:
    """A connected part of a pattern, to draw a match from or to enumerate."""

    walk: Walk
    loops: _Loops


class NativeMatcher:
    """Finds the matches of one pattern; what it learns of a table is kept for the next time."""

    def __init__(self, pattern: Pattern, given: tuple[Variable, ...] = ()) -> None:
        """`given` are variables whose values are known before, in this order."""
        self.pattern = pattern
        self.variables = pattern.variables
        self._given = given
        self._loops: tuple[TripleTable, _Loops] | None = None
        self._parts: tuple[TripleTable, list[_Part]] | None = None
        groups = [set(variables_of(group)) for group in plan.components(pattern.triples)]
        # The filters that look at more than one part.
        self._across = [f for f in pattern.filters if not any(group >= set(f.variables) for group in groups)]

    def matches(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        """The keys of the variables, for each match."""
        if self._loops is None or self._loops[0] is not graph.table:
            triples = plan.order(graph, self.pattern.triples, self._given)
            compiled = compile_matcher(triples, self.pattern.filters, self._given, self.variables)
            self._loops = graph.table, _Loops(*compiled)
        return self._loops[1].run(graph, given)

    def sample(self, graph: Graph, random: Random) -> tuple[Key, ...] | None:
        """The keys of the variables in one match, each match as likely as any other; None if there is none."""
        if self._parts is None or self._parts[0] is not graph.table:
            groups = plan.components(self.pattern.triples)
            self._parts = graph.table, [self._part(graph, group) for group in groups]
        # The matches of those parts that had to be enumerated.
        enumerated: dict[int, list[tuple[Key, ...]]] = {}
        for _ in range(_TRIES_ACROSS if self._across else 1):
            values: dict[Variable, Key] = {}
            for number, part in enumerate(self._parts[1]):
                drawn: Sequence[Key] | bool | None = False
                if number not in enumerated:
                    drawn = part.walk.draw(graph, random)
                if drawn is False:
                    if number not in enumerated:
                        enumerated[number] = list(part.loops.run(graph))
                    matches = enumerated[number]
                    drawn = matches[int(random.random() * len(matches))] if matches else None
                if drawn is None or isinstance(drawn, bool):
                    return None
                values.update(zip(part.walk.variables, drawn, strict=True))
            if not self._across or hold(self._across, graph, values):
                return tuple(values[variable] for variable in self.variables)
        return any_of(self.matches(graph), random)

    def _part(self, graph: Graph, group: list[TriplePattern]) -> _Part:
        triples = plan.connected_order(graph, group).triples
        variables = variables_of(triples)
        filters = [found for found in self.pattern.filters if set(variables) >= set(found.variables)]
        return _Part(Walk(graph, triples, filters), _Loops(*compile_matcher(triples, filters, (), variables)))
