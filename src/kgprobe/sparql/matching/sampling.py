"""Draws one match of a pattern uniformly, without finding all matches.

A try draws the first triple uniformly. For each further triple it draws a number below the most results that this
lookup can have for any values (see `most_matches` in `pattern`), and takes the candidate with that number. If no such
candidate exists, the try fails. So a try returns every match with the same probability, one in `bound`. A pattern
whose tries keep failing has few matches for its size, and is enumerated. Neither method prefers any match, so the
choice between them does not either.

Parts of a pattern that share no variable are drawn one by one, so that cross products need not be enumerated.

As for all matches, a function is generated for each pattern. Its source consists only of our own words and numbers.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias, TypeVar

from kgprobe.rdf import terms as rdf
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Filter, TriplePattern, Variable, most_matches, variables_of
from kgprobe.rdf.table import Key, TripleTable
from kgprobe.rdf.terms import BlankNode, NamedNode

__all__ = ["Draw", "function_from"]


# -- generated functions -----------------------------------------------------------------------------------------------
# Python finds the lines of a file through `linecache`. The source of each function is stored there under a name that no
# file has, and removed when the function is freed. So tracebacks and debuggers can show it.

_numbers = itertools.count(1)


def function_from(lines: Sequence[str], name: str, values: dict[str, Any]) -> Any:
    """The function with this name that these lines define. The values become its globals.

    The lines must consist of our own words and numbers. They must not contain text from outside.
    """
    source = "\n".join(lines) + "\n"
    file = f"<kgprobe generated: {name} {next(_numbers)}>"
    exec(compile(source, file, "exec"), values)  # noqa: S102 - see above
    function = values[name]
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    weakref.finalize(function, linecache.cache.pop, file, None).atexit = False
    return function


# How many tries a connected part of a pattern gets. Enumerating it takes as long as some dozens of tries, or less if
# its first triple has only a few candidates.
_TRIES = 60

# How often the parts of a cross product are drawn again when the filters between them fail. Enumerating the product
# takes time in proportion to its size, so it gets many tries unless it is small.
_TRIES_ACROSS = 5_000

# Draws one match uniformly, as values of the variables by name; None if there is no match. The random function returns
# numbers from 0 to 1.
Draw: TypeAlias = Callable[[Graph, Callable[[], float]], dict[str, Key] | None]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Part:
    """A connected part of a pattern: its triples in drawing order, and a way to find all its matches."""

    triples: tuple[TriplePattern, ...]
    enumerate: Callable[[Graph], Iterable[tuple[Key, ...]]]


def compile_draw(
    table: TripleTable, parts: Sequence[Part], filters: Sequence[Filter], result: Sequence[Variable], otherwise: Draw
) -> Draw:
    """A function that draws matches in the graphs of one table. If too many tries fail, it calls `otherwise`."""
    return _Writer(table, parts, filters, result, otherwise).compiled()


def any_of(candidates: Iterable[_T], random: Callable[[], float]) -> _T | None:
    """Draw one of the candidates uniformly, in one pass and without storing them."""
    chosen = None
    for count, candidate in enumerate(candidates, start=1):
        if random() * count < 1:
            chosen = candidate
    return chosen


def _at_most(limit: int, number: str, least: int) -> str:
    """The source for the minimum of this number and the limit; the number is never less than `least`."""
    return str(limit) if least >= limit else f"min({limit}, {number})"


class _Writer:
    """Writes the source of one drawing function."""

    def __init__(
        self,
        table: TripleTable,
        parts: Sequence[Part],
        filters: Sequence[Filter],
        result: Sequence[Variable],
        otherwise: Draw,
    ) -> None:
        self._graph = Graph.from_table(table)
        self._parts = parts
        self._pending = list(enumerate(filters))
        self._result = result
        self._names: dict[Variable, str] = {}
        self._constants: dict[Any, str] = {}
        self._firsts: dict[tuple[str | None, ...], int] = {}
        self._least: list[int] = []
        self._limits: list[str] = []
        self._tries: list[str] = []
        self._values: dict[str, Any] = {f"f{n}": found.holds for n, found in enumerate(filters)}
        self._values |= {kind.__name__: kind for kind in (NamedNode, BlankNode, rdf.Literal)}
        self._values |= {"terms": table.terms, "otherwise": otherwise}

    def compiled(self) -> Draw:
        body: list[str] = []
        for number, part in enumerate(self._parts):
            body += self._part(number, part)
        self._write_filters()
        product = " * ".join(f"first{number}" for number in range(len(self._parts)))
        tries = _at_most(_TRIES_ACROSS, product or "1", prod(self._least)) if self._tries else "1"
        self._values |= {f"name{n}": variable.name for n, variable in enumerate(self._result)}
        result = ", ".join(f"name{n}: {self._names[variable]}" for n, variable in enumerate(self._result))
        lines = [
            "def draw(graph, random):",
            "    changes = graph.changed_keys",
            "    changed = graph.changed_parts(0)",
            *(f"    all{number} = None" for number in range(len(self._parts))),
            *("    " + line for line in self._limits),
            f"    for _ in range({tries}):",
            *("        " + line for line in [*body, *self._tries]),
            f"        return {{{result}}}",
            f"    return {self._failure(product)}",
        ]
        draw: Draw = function_from(lines, "draw", self._values)
        return draw

    def _failure(self, product: str) -> str:
        """The result when all tries have failed. If there was only one candidate, the pattern has no match."""
        is_each_one_triple = self._parts and all(len(part.triples) == 1 for part in self._parts)
        ask = "otherwise(graph, random)"
        return f"None if {product} == 1 else {ask}" if is_each_one_triple else ask

    def _part(self, number: int, part: Part) -> list[str]:
        """Lines that draw one part. After too many failures, they draw from the list of all its matches."""
        self._tries = []
        self._values[f"enumerate{number}"] = part.enumerate
        for place, triple in enumerate(part.triples):
            if place == 0:
                self._write_first(number, triple)
            else:
                self._write_further(f"{number}_{place}", triple, variables_of(part.triples[:place]))
            self._write_filters(of=variables_of(part.triples))
        tries, self._tries = self._tries, []
        targets = "".join(f"{self._names[variable]}, " for variable in variables_of(part.triples))
        return [
            f"if all{number} is None:",
            f"    for _ in range({_at_most(_TRIES, f'first{number}', self._least[number])}):",
            *("        " + line for line in [*tries, "break"]),
            "    else:",
            f"        all{number} = list(enumerate{number}(graph))",
            f"if all{number} is not None:",
            f"    if not all{number}: return None",
            f"    {f'{targets} = ' if targets else ''}all{number}[int(random() * len(all{number}))]",
        ]

    def _write_first(self, number: int, triple: TriplePattern) -> None:
        """Draw the first triple. Its places are known: a range of the table's rows, then the added triples."""
        names = [self._known(part) for part in triple]
        lookup = ", ".join(name or "None" for name in names)
        constants = [None if isinstance(part, Variable) else self._graph.key(part) for part in triple]
        begin, end = self._graph.table.span(*constants)
        rows = end - begin
        self._least.append(rows)
        same = self._firsts.setdefault(tuple(names), number)
        if same == number:
            self._limits += [
                *self._added(f"new{number}", names, lookup),
                f"first{number} = {rows} + len(new{number})",
                f"if not first{number}: return None",
            ]
        else:
            self._limits.append(f"new{number}, first{number} = new{same}, first{same}")
        targets, equal = self._targets(triple)
        self._tries += [
            f"k = int(random() * first{number})",
            f"if k < {rows}:",
            f"    row = {self._row(names, begin, lookup)}",
            "    if row in changes: continue",
            "else:",
            f"    row = new{number}[k - {rows}]",
            f"{targets} = row",
            *(f"if {condition}: continue" for condition in equal),
        ]

    def _added(self, target: str, names: list[str | None], lookup: str) -> list[str]:
        """The added triples. For the most common shape of a first triple, this saves function calls."""
        s, p, o = names
        if s is not None or p is None or o is None:
            return [f"{target} = graph.added_rows({lookup})"]
        return [
            f"found = graph.changes_at(2, {o})",
            f"{target} = [row for row, is_new in found.items() if is_new and row[1] == {p}] if found else ()",
        ]

    def _row(self, names: list[str | None], begin: int, lookup: str) -> str:
        """The table's row at place k, read directly from the columns for the two most common shapes."""
        s, p, o = names
        if s is not None or p is None:
            self._values["table"] = self._graph.table
            return f"table.row_at({begin} + k, {lookup})"
        columns = self._graph.table.by_predicate
        self._values["subjects"], self._values["objects"] = columns.third, columns.second
        return f"(subjects[{begin} + k], {p}, {o or f'objects[{begin} + k]'})"

    def _write_further(self, place: str, triple: TriplePattern, before: tuple[Variable, ...]) -> None:
        known = [self._known(part) for part in triple]
        s, p, o = known
        match [name is not None for name in known]:
            case [True, True, True]:
                self._tries.append(f"if not graph.has({s}, {p}, {o}): continue")
                return
            case [True, True, False]:
                found, target = f"graph.objects({s}, {p})", triple[2]
            case [False, True, True]:
                found, target = f"graph.subjects({p}, {o})", triple[0]
            case [True, False, True]:
                found, target = f"graph.predicates({s}, {o})", triple[1]
            case _:
                self._write_any(place, triple, known, before)
                return
        most = self._write_limit(place, triple, before)
        assert isinstance(target, Variable)  # noqa: S101 - an unknown part is a variable
        self._tries += [
            f"found = {found}",
            f"k = int(random() * {most})",
            "if k >= len(found): continue",
            f"{self._bind(target)} = found[k]",
        ]

    def _write_any(
        self, place: str, triple: TriplePattern, known: list[str | None], before: tuple[Variable, ...]
    ) -> None:
        """A triple with two unknown parts that is connected to the others."""
        lookup = ", ".join(name or "None" for name in known)
        most = self._write_limit(place, triple, before)
        targets, equal = self._targets(triple)
        self._tries += [
            f"row = graph.at(int(random() * {most}), {lookup})",
            "if row is None: continue",
            f"{targets} = row",
            *(f"if {condition}: continue" for condition in equal),
        ]

    def _write_limit(self, place: str, triple: TriplePattern, before: tuple[Variable, ...]) -> str:
        most = most_matches(self._graph, triple, before)
        predicate = "None" if isinstance(triple[1], Variable) else self._known(triple[1])
        self._limits += [
            f"most{place} = {most} + graph.changed({predicate})",
            f"if not most{place}: return None",
        ]
        return f"most{place}"

    def _targets(self, triple: TriplePattern) -> tuple[str, list[str]]:
        """The targets for the parts of a row, and the conditions that parts equal known values."""
        targets, equal = [], []
        for place, part in enumerate(triple):
            if not isinstance(part, Variable):
                targets.append("_")
            elif part in self._names:
                targets.append(f"again{place}")
                equal.append(f"again{place} != {self._names[part]}")
            else:
                targets.append(self._bind(part))
        return ", ".join(targets), equal

    def _write_filters(self, of: tuple[Variable, ...] | None = None) -> None:
        """The filters whose last variable has just become known; with `of`, only filters on these variables."""
        known = self._names if of is None else self._names.keys() & set(of)
        ready = [(n, found) for n, found in self._pending if all(v in known for v in found.variables)]
        self._pending = [entry for entry in self._pending if entry not in ready]
        for number, found in ready:
            names = [self._names[variable] for variable in found.variables]
            call = f"f{number}(graph, ({''.join(f'{name}, ' for name in names)}))"
            if found.known is not None:
                self._values[f"known{number}"] = found.known(self._graph.table)
                self._tries.append(f"holds = None if {names[0]} in changed else known{number}.get({names[0]})")
                call = f"{call} if holds is None else holds"
            elif found.inline is not None:
                call = found.inline.format(*names, *map(self._known, found.constants), call=call)
            self._tries.append(f"if not ({call}): continue")

    def _known(self, part: Variable | Any) -> str | None:
        if isinstance(part, Variable):
            return self._names.get(part)
        name = self._constants.setdefault(part, f"c{len(self._constants)}")
        self._values[name] = self._graph.key(part)
        return name

    def _bind(self, variable: Variable) -> str:
        return self._names.setdefault(variable, f"v{len(self._names)}")
