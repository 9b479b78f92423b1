"""Compiles a WHERE clause, to find all matches: for our own matching if that supports the clause, else for pyoxigraph.

For our own matching, a pattern becomes nested loops over the graph's lookups, one for each triple. The loops are
generated as Python source, because interpreting the pattern at every step takes several times as long. The source
consists only of our own words and numbers; the terms and filters of the pattern are passed as values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol, Self, TypeAlias

from kgprobe.errors import InputError, Position
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import (
    Binding,
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
from kgprobe.sparql.engine.exact_store import GraphStore, PreparedQuery
from kgprobe.sparql.engine.results import Rows
from kgprobe.sparql.matching.filters import Condition, Exists, Group, Test, filter_of, query_of, read_group, test_of
from kgprobe.sparql.matching.sampling import Draw, Part, any_of, compile_draw, function_from
from kgprobe.sparql.pyoxigraph import as_input_error, check_evaluable, parse_query
from kgprobe.sparql.tokens import UNREPEATABLE, words

__all__ = ["Where", "compile_where"]


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


# -- any WHERE clause --------------------------------------------------------------------------------------------------

_GROWING = re.compile(r"concat|replace", re.IGNORECASE)  # most clauses need no closer look


class Where(Protocol):
    """A compiled WHERE clause. Its answers are the solutions that SPARQL defines, as bindings of variables to terms."""

    @property
    def needed(self) -> tuple[TriplePattern, ...]:
        """Triples that every solution matches: all of a basic graph pattern, and at least some of other patterns."""
        ...

    def restricted(self, filters: Iterable[Filter]) -> Self:
        """The same clause with further conditions that every solution must meet."""
        ...

    def matches(self, graph: Graph) -> Iterator[Binding]:
        """All solutions. Do not change the graph while iterating."""
        ...

    def sample(self, graph: Graph, random: Random) -> Binding | None:
        """One solution, drawn uniformly; None if there are no solutions."""
        ...

    def draw_in(self, table: TripleTable) -> Draw:
        """A function like `sample` for the graphs of one table, with keys instead of terms."""
        ...


def compile_where(
    text: str,
    prefixes: Mapping[str, str] | None = None,
    *,
    name: str = "<pattern>",
    tests: Mapping[str, Test] | None = None,
) -> Where:
    """Compile the text between the braces of a SPARQL WHERE. Errors name `name` as the source of the text.

    `tests` are functions that a FILTER may call by their IRIs, in addition to those of SPARQL.
    """
    prefixes = dict(prefixes or {})
    _check(text, prefixes, name, tests or {})
    group = read_group(text, prefixes)
    compiler = _Compiler(prefixes, tests or {})
    pattern = compiler.pattern(group, ())
    is_tame = not _GROWING.search(text) or PreparedQuery.of(query_of(text), name, prefixes).is_tame
    if group.complete and is_tame and len(group.triples) <= MOST_LOOPS:
        return _Native(pattern)
    if compiler.used_tests:
        message = "a kgprobe function in a FILTER needs a WHERE with only triples, FILTER and FILTER NOT EXISTS"
        raise InputError(message, where=Position(name))
    return _Sparql(PreparedQuery.of(query_of(text), name, prefixes), tuple(group.triples))


class _Native:
    """A basic graph pattern with filters."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._matcher = matcher = NativeMatcher(pattern)
        self.draw_in = matcher.draw_in
        self._visible = [(n, v.name) for n, v in enumerate(matcher.variables) if not v.hidden]

    @property
    def needed(self) -> tuple[TriplePattern, ...]:
        return self._pattern.triples

    def restricted(self, filters: Iterable[Filter]) -> _Native:
        return _Native(replace(self._pattern, filters=(*self._pattern.filters, *filters)))

    def matches(self, graph: Graph) -> Iterator[Binding]:
        for keys in self._matcher.matches(graph):
            yield {name: graph.term(keys[n]) for n, name in self._visible}

    def sample(self, graph: Graph, random: Random) -> Binding | None:
        found = self.draw_in(graph.table)(graph, random.random)
        return None if found is None else {name: graph.term(key) for name, key in found.items()}


@dataclass(frozen=True)
class _Sparql:
    """Any other pattern, evaluated by pyoxigraph."""

    query: PreparedQuery
    needed: tuple[TriplePattern, ...]
    filters: tuple[Filter, ...] = ()

    def restricted(self, filters: Iterable[Filter]) -> _Sparql:
        return replace(self, filters=(*self.filters, *filters))

    def matches(self, graph: Graph) -> Iterator[Binding]:
        solutions = GraphStore(graph).ask(self.query)
        assert isinstance(solutions, Rows)  # noqa: S101 - SELECT returns solutions
        # The order of a store's solutions differs between processes.
        for binding in sorted(solutions.rows, key=lambda row: str(list(row.items()))):
            if self._passes(graph, binding):
                yield binding

    def sample(self, graph: Graph, random: Random) -> Binding | None:
        return any_of(self.matches(graph), random.random)

    def draw_in(self, table: TripleTable) -> Draw:  # noqa: ARG002 - pyoxigraph knows no tables
        return self._draw

    def _draw(self, graph: Graph, random: Callable[[], float]) -> dict[str, Key] | None:
        found = any_of(self.matches(graph), random)
        return None if found is None else {name: graph.key(term) for name, term in found.items()}

    def _passes(self, graph: Graph, binding: Binding) -> bool:
        """Whether the additional filters hold. Filters on variables without a value are ignored."""
        for found in self.filters:
            terms = [binding.get(variable.name) for variable in found.variables]
            if None not in terms and not found.holds(graph, tuple(map(graph.key, terms))):  # type: ignore[arg-type]
                return False
        return True


class _Compiler:
    """Makes patterns from groups."""

    def __init__(self, prefixes: Mapping[str, str], tests: Mapping[str, Test]) -> None:
        self._prefixes = prefixes
        self._tests = tests
        self.used_tests = False

    def pattern(self, group: Group, outer: tuple[Variable, ...]) -> Pattern:
        triples = tuple(group.triples)
        visible = tuple(dict.fromkeys([*outer, *variables_of(triples)]))
        return Pattern(triples, tuple(self._filter(condition, visible) for condition in group.filters))

    def _filter(self, condition: Condition | Exists, visible: tuple[Variable, ...]) -> Filter:
        if not isinstance(condition, Exists):
            found = test_of(condition.expression, visible, self._tests)
            self.used_tests = self.used_tests or found is not None
            return found or filter_of(condition, visible, self._prefixes)
        given = tuple(variable for variable in visible if variable in _variables(condition.group))
        if (found := _one_triple(condition, given)) is not None:
            return found
        matcher = NativeMatcher(self.pattern(condition.group, given), given)
        wanted = not condition.negated
        return Filter(given, lambda graph, keys: (next(matcher.matches(graph, keys), None) is not None) is wanted)


def _variables(group: Group) -> set[Variable]:
    """All variables in a group, including those of its filters."""
    found = set(variables_of(group.triples))
    for condition in group.filters:
        found |= _variables(condition.group) if isinstance(condition, Exists) else set(condition.variables)
    return found


def _one_triple(condition: Exists, given: tuple[Variable, ...]) -> Filter | None:
    """A filter for the most common EXISTS: one triple whose variables all have values. None for others."""
    group = condition.group
    if len(group.triples) != 1 or group.filters or _variables(group) != set(given):
        return None
    [triple] = group.triples
    constants = tuple(part for part in triple if not isinstance(part, Variable))
    places = [(*given, *constants).index(part) for part in triple]
    wanted = not condition.negated

    def holds(graph: Graph, keys: tuple[Key, ...]) -> bool:
        s, p, o = map((*keys, *map(graph.key, constants)).__getitem__, places)
        return graph.has(s, p, o) is wanted

    inline = f"graph.has({', '.join(f'{{{place}}}' for place in places)}) is {wanted}"
    return Filter(given, holds, inline, constants)


def _check(text: str, prefixes: Mapping[str, str], name: str, tests: Mapping[str, Test]) -> None:
    """Refuse texts that are not SPARQL, would use the network, or give a different answer every time."""
    check_evaluable(text, name)
    used = words(text)
    if "SERVICE" in used:
        raise InputError("SERVICE would use the network, which a pattern must not", where=Position(name))
    for function in UNREPEATABLE:
        if function in used:
            raise InputError(
                f"{function}() gives a different answer each time, but a match must be repeatable", where=Position(name)
            )
    query = query_of(text)
    try:
        parse_query(query, name, prefixes, base=None)
    except SyntaxError as error:
        raise _explained(error, text, name) from None
    except ValueError as error:  # a prefix that is not an IRI, or half a surrogate pair
        raise InputError(str(error), where=Position(name)) from None
    for function in PreparedQuery.of(query, name, prefixes).unknown_functions():
        if function not in tests:
            raise InputError(f"the function <{function}> does not exist", where=Position(name))


def _explained(error: SyntaxError, text: str, name: str) -> InputError:
    refused = as_input_error(error, name)
    if refused.where is None or refused.where.line is None:
        return refused
    lines = text.split("\n")
    line, column = refused.where.line - 1, refused.where.column  # the first line is ours
    if line > len(lines):
        return InputError("the pattern ends too early", where=Position(name, len(lines), len(lines[-1]) + 1))
    return InputError(refused.message, where=Position(name, line, column))
