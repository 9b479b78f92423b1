"""Finds all matches of a pattern with a generated function.

A pattern becomes nested loops over the graph's lookups, one for each triple. The loops are generated as Python source,
because interpreting the pattern at every step takes several times as long. The source consists only of our own words
and numbers; the terms and filters of the pattern are passed as values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import (
    Filter,
    Pattern,
    TriplePattern,
    Variable,
    components,
    connected_order,
    order,
    variables_of,
)
from kgprobe.rdf.table import Key, TripleTable
from kgprobe.sparql.matching.generated import function_from
from kgprobe.sparql.matching.sampling import Draw, Part, any_of, compile_draw

# Returns matches as keys of the variables. Takes the keys of the constants and of the variables known beforehand.
Matcher: TypeAlias = Callable[[Graph, Sequence[Key], Sequence[Key]], Iterator[tuple[Key, ...]]]

# Python allows at most twenty nested loops.
MOST_LOOPS = 16


def compile_matcher(
    triples: Sequence[TriplePattern],
    filters: Sequence[Filter],
    given: Sequence[Variable],
    result: Sequence[Variable],
) -> tuple[Matcher, tuple[Any, ...]]:
    """A function that finds the matches, looking up the triples in this order, and the constants that it takes."""
    return _Writer(triples, filters, given, result).compiled()


class _Writer:
    """Writes the source of one matcher."""

    def __init__(
        self,
        triples: Sequence[TriplePattern],
        filters: Sequence[Filter],
        given: Sequence[Variable],
        result: Sequence[Variable],
    ) -> None:
        self._triples = triples
        self._filters = filters
        self._pending = list(enumerate(filters))
        self._result = result
        self._names: dict[Variable, str] = {variable: f"v{n}" for n, variable in enumerate(given)}
        self._constants: dict[Any, str] = {}
        self._lines: list[str] = []
        self._depth = 1

    def compiled(self) -> tuple[Matcher, tuple[Any, ...]]:
        if self._names:
            self._line(f"[{', '.join(self._names.values())}] = given")
        self._write_filters()
        for triple in self._triples:
            self._write_triple(triple)
            self._write_filters()
        self._line(f"yield ({''.join(f'{self._names[variable]}, ' for variable in self._result)})")
        unpack = [f"    [{', '.join(self._constants.values())}] = constants"] if self._constants else []
        lines = ["def match(graph, constants, given):", *unpack, *self._lines]
        match = function_from(lines, "match", {"filters": [found.holds for found in self._filters]})
        return match, tuple(self._constants)

    def _write_triple(self, triple: TriplePattern) -> None:
        s, p, o = known = [self._known(part) for part in triple]
        variables = [part if isinstance(part, Variable) else None for part in triple]
        match [name is not None for name in known]:
            case [True, True, True]:
                self._line(f"if graph.has({s}, {p}, {o}):")
            case [True, True, False]:
                self._line(f"for {self._bind(variables[2])} in graph.objects({s}, {p}):")
            case [False, True, True]:
                self._line(f"for {self._bind(variables[0])} in graph.subjects({p}, {o}):")
            case [True, False, True]:
                self._line(f"for {self._bind(variables[1])} in graph.predicates({s}, {o}):")
            case _:
                self._write_rows(known, variables)
                return
        self._depth += 1

    def _write_rows(self, known: list[str | None], variables: list[Variable | None]) -> None:
        """A loop with several unknown parts. If a variable occurs twice, both values must be equal."""
        targets, equal = [], []
        for place, (name, variable) in enumerate(zip(known, variables, strict=True)):
            if name is not None:
                targets.append("_")
            elif variable in self._names:
                targets.append(f"again{place}")
                equal.append(f"again{place} == {self._names[variable]}")
            else:
                targets.append(self._bind(variable))
        self._line(f"for {', '.join(targets)} in graph.rows({', '.join(name or 'None' for name in known)}):")
        self._depth += 1
        if equal:
            self._line(f"if {' and '.join(equal)}:")
            self._depth += 1

    def _write_filters(self) -> None:
        """The filters whose last variable has just become known."""
        ready = [(n, found) for n, found in self._pending if all(v in self._names for v in found.variables)]
        self._pending = [entry for entry in self._pending if entry not in ready]
        for number, found in ready:
            values = "".join(f"{self._names[variable]}, " for variable in found.variables)
            self._line(f"if filters[{number}](graph, ({values})):")
            self._depth += 1

    def _known(self, part: Any) -> str | None:
        if isinstance(part, Variable):
            return self._names.get(part)
        return self._constants.setdefault(part, f"c{len(self._constants)}")

    def _bind(self, variable: Variable | None) -> str:
        assert variable is not None  # noqa: S101 - only unknown parts are bound
        return self._names.setdefault(variable, f"v{len(self._names)}")

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)


# -- basic graph patterns with filters, matched with our own lookups ---------------------------------------------------


@dataclass(frozen=True)
class _Loops:
    """Compiled loops over some triples, and the constants in them."""

    matcher: Matcher
    constants: tuple[Any, ...]

    def run(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        return self.matcher(graph, [graph.key(term) for term in self.constants], given)


class NativeMatcher:
    """Finds the matches of one pattern. Functions compiled for a table are kept for later calls.

    The method depends only on the table, not on the changes of the first graph, so that every process draws the same
    matches.
    """

    def __init__(self, pattern: Pattern, given: tuple[Variable, ...] = ()) -> None:
        """`given` are the variables whose values are known beforehand, in this order."""
        self.pattern = pattern
        self.variables = pattern.variables
        self._visible = [variable for variable in self.variables if not variable.hidden]
        self._given = given
        self._loops = PerTable(self._compiled_loops)
        self._draws = PerTable(self._compiled_draw)

    def matches(self, graph: Graph, given: Sequence[Key] = ()) -> Iterator[tuple[Key, ...]]:
        """The keys of the variables in each match."""
        return self._loops.of(graph.table).run(graph, given)

    def draw_in(self, table: TripleTable) -> Draw:
        """A function for the graphs of this table that draws one match, as keys of the visible variables."""
        return self._draws.of(table)

    def _compiled_loops(self, table: TripleTable) -> _Loops:
        triples = order(Graph.from_table(table), self.pattern.triples, self._given)
        return _Loops(*compile_matcher(triples, self.pattern.filters, self._given, self.variables))

    def _compiled_draw(self, table: TripleTable) -> Draw:
        graph = Graph.from_table(table)
        parts = [self._part(graph, group) for group in components(self.pattern.triples)]
        return compile_draw(table, parts, self.pattern.filters, self._visible, self._draw_from_all)

    def _draw_from_all(self, graph: Graph, random: Callable[[], float]) -> dict[str, Key] | None:
        keys = any_of(self.matches(graph), random)
        if keys is None:
            return None
        return {v.name: key for v, key in zip(self.variables, keys, strict=True) if not v.hidden}

    def _part(self, graph: Graph, group: list[TriplePattern]) -> Part:
        triples = connected_order(graph, group).triples
        variables = variables_of(triples)
        filters = [found for found in self.pattern.filters if set(variables) >= set(found.variables)]
        return Part(triples, _Loops(*compile_matcher(triples, filters, (), variables)).run)
