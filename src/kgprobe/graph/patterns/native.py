"""Basic graph patterns with filters, matched by our own lookups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kgprobe.graph.changes import Key
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns import lookup_order
from kgprobe.graph.patterns.enumeration import Matcher, compile_matcher
from kgprobe.graph.patterns.pattern import Pattern, TriplePattern, Variable, variables_of
from kgprobe.graph.patterns.sampling import Draw, Part, any_of, compile_draw
from kgprobe.graph.table import TripleTable

__all__ = ["NativeMatcher"]


@dataclass(frozen=True)
class _Loops:
    """Compiled loops over some triples, and the constants in them."""

    matcher: Matcher
    constants: tuple[Any, ...]

    def run(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        return self.matcher(graph, [graph.key(term) for term in self.constants], given)


class NativeMatcher:
    """Finds the matches of one pattern; what it learns of a table is kept for the next time.

    How it goes about it depends on the table alone, not on the changes of the graph that comes first: what is drawn
    must be the same in every process.
    """

    def __init__(self, pattern: Pattern, given: tuple[Variable, ...] = ()) -> None:
        """`given` are variables whose values are known before, in this order."""
        self.pattern = pattern
        self.variables = pattern.variables
        self._visible = [variable for variable in self.variables if not variable.hidden]
        self._given = given
        self._loops = PerTable(self._compiled_loops)
        self._draws = PerTable(self._compiled_draw)

    def matches(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        """The keys of the variables, for each match."""
        return self._loops.of(graph.table).run(graph, given)

    def draw_in(self, table: TripleTable) -> Draw:
        """A function that draws the keys of the visible variables in one match, in the graphs of this table."""
        return self._draws.of(table)

    def _compiled_loops(self, table: TripleTable) -> _Loops:
        triples = lookup_order.order(Graph.from_table(table), self.pattern.triples, self._given)
        return _Loops(*compile_matcher(triples, self.pattern.filters, self._given, self.variables))

    def _compiled_draw(self, table: TripleTable) -> Draw:
        graph = Graph.from_table(table)
        parts = [self._part(graph, group) for group in lookup_order.components(self.pattern.triples)]
        return compile_draw(table, parts, self.pattern.filters, self._visible, self._draw_from_all)

    def _draw_from_all(self, graph: Graph, random: Callable[[], float]) -> dict[str, Key] | None:
        keys = any_of(self.matches(graph), random)
        if keys is None:
            return None
        return {v.name: key for v, key in zip(self.variables, keys, strict=True) if not v.hidden}

    def _part(self, graph: Graph, group: list[TriplePattern]) -> Part:
        triples = lookup_order.connected_order(graph, group).triples
        variables = variables_of(triples)
        filters = [found for found in self.pattern.filters if set(variables) >= set(found.variables)]
        return Part(triples, _Loops(*compile_matcher(triples, filters, (), variables)).run)
