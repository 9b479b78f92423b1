"""What is known about values in a query: what conditions say about them, and the names in scope that stand for them.

A condition is a formula of restrictions. A row of a joined relation that passes a condition comes from rows of tables
that pass what remains of the formula for them. All restrictions reject NULL, so that this also holds for the side of an
outer join that may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from kgprobe.selection.tests import ColumnOf, Constants, Equal, Source

_MOST_ALTERNATIVES = 12


@dataclass(frozen=True, slots=True)
class At:
    """A column of an occurrence of a stored table."""

    occurrence: int
    column: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A column of a recursive query, from within it or outside. Its values are known when the query has been read."""

    recursion: int
    position: int


@dataclass(frozen=True, slots=True)
class Late:
    """A column of an occurrence in the recursive part of a query. Within that part, its source may be a later one."""

    at: At
    recursion: int


@dataclass(frozen=True, slots=True)
class Values:
    """Everything that a value can be, other than NULL: one of these texts, or a value of these columns."""

    texts: frozenset[str] = frozenset()
    columns: frozenset[At | Late | Loop] = frozenset()

    def __or__(self, other: Values) -> Values:
        return Values(self.texts | other.texts, self.columns | other.columns)


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value at each of these places is one of the constants or values."""

    places: frozenset[At]
    constants: Constants | None = None
    columns: frozenset[At | Late | Loop] = frozenset()


@dataclass(frozen=True, slots=True)
class All:
    """All of these hold. Without parts: nothing is known."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of these holds. Without parts: nothing passes."""

    parts: tuple[Formula, ...] = ()


Formula: TypeAlias = OneOf | All | Either
ANYTHING = All()


@dataclass(frozen=True, slots=True)
class Alternative:
    """Restrictions of the rows of one occurrence, which all hold."""

    constants: Mapping[str, Constants]
    equal: frozenset[tuple[str, frozenset[At | Late | Loop]]] = frozenset()

    def both(self, other: Alternative) -> Alternative:
        """The rows that pass both."""
        constants = dict(self.constants)
        for column, more in other.constants.items():
            constants[column] = _narrower(constants[column], more) if column in constants else more
        return Alternative(constants, self.equal | other.equal)

    @property
    def is_empty(self) -> bool:
        """Whether it restricts nothing."""
        return not self.constants and not self.equal


_FREE = (Alternative({}),)


def alternatives(formula: Formula, occurrence: int) -> tuple[Alternative, ...]:
    """The rows of an occurrence that can pass: those that pass one of the alternatives."""
    match formula:
        case OneOf():
            return _one_of(formula, occurrence)
        case All():
            found: tuple[Alternative, ...] = _FREE
            for part in dict.fromkeys(_flat(formula)):
                more = alternatives(part, occurrence)
                if len(found) * len(more) <= _MOST_ALTERNATIVES:
                    found = _absorbed([first.both(second) for first in found for second in more])
                elif len(more) < len(found):
                    found = more
            return found
        case Either():
            joined: list[Alternative] = []
            for part in formula.parts:
                more = alternatives(part, occurrence)
                if any(alternative.is_empty for alternative in more):
                    return _FREE
                joined += more
            kept = _absorbed(list(_merged(joined)))
            return kept if len(kept) <= _MOST_ALTERNATIVES else _FREE


def _flat(formula: All) -> Iterator[Formula]:
    for part in formula.parts:
        if isinstance(part, All):
            yield from _flat(part)
        else:
            yield part


def _absorbed(found: list[Alternative]) -> tuple[Alternative, ...]:
    """The same without alternatives that others include."""
    kept: list[Alternative] = []
    for other in sorted(found, key=lambda one: len(one.constants) + len(one.equal)):
        if not any(one.constants.items() <= other.constants.items() and one.equal <= other.equal for one in kept):
            kept.append(other)
    return tuple(kept)


def _one_of(said: OneOf, occurrence: int) -> tuple[Alternative, ...]:
    columns = [place.column for place in said.places if place.occurrence == occurrence]
    if not columns:
        return _FREE
    found = []
    for column in columns:
        if said.constants is not None:
            found.append(Alternative({column: said.constants}))
        if said.columns:
            found.append(Alternative({}, frozenset([(column, said.columns)])))
    return tuple(found)


def _narrower(first: Constants, second: Constants) -> Constants:
    if not first.patterns and not second.patterns and not first.folds and not second.folds:
        return Constants(first.texts & second.texts)
    return min(first, second, key=lambda each: (len(each.patterns), each.folds, len(each.texts)))


def _merged(found: Iterable[Alternative]) -> tuple[Alternative, ...]:
    """The same with fewer alternatives: those that restrict the same column by constants only become one."""
    by_column: dict[str, Constants] = {}
    rest: dict[tuple[object, ...], Alternative] = {}
    for one in found:
        if len(one.constants) == 1 and not one.equal:
            ((column, more),) = one.constants.items()
            known = by_column.get(column)
            by_column[column] = more if known is None else _wider(known, more)
        else:
            rest[(tuple(sorted(one.constants.items(), key=lambda item: item[0])), one.equal)] = one
    return (*(Alternative({column: said}) for column, said in by_column.items()), *rest.values())


def _wider(first: Constants, second: Constants) -> Constants:
    patterns = tuple(dict.fromkeys([*first.patterns, *second.patterns]))
    return Constants(first.texts | second.texts, patterns, first.folds or second.folds)


# -- occurrences of tables as sources ----------------------------------------------------------------------------------


@dataclass
class Occurrence:
    """One occurrence of a stored table while a statement is read."""

    table: str
    line: int | None
    columns: set[str] | None = field(default_factory=set)  # those whose values can matter; None: all
    formulas: list[Formula] = field(default_factory=list)  # all must hold


@dataclass
class Recursion:
    """The values of the columns of a recursive query, without and with recursion. None: any value."""

    start: list[Values | None]
    step: list[Values | None] | None = None  # None while it is read
    within: range = range(0)  # the occurrences of the recursive part


def sources_of(
    occurrences: list[Occurrence],
    recursions: list[Recursion],
    *,
    folds: bool,
    key_of: Callable[[str, str], tuple[str, bool]],
) -> tuple[Source, ...]:
    """The occurrences as sources: each may be restricted by values of those before it.

    An occurrence whose rows pass one of several alternatives becomes as many sources. `folds` means that texts may be
    compared without regard to case. `key_of` says whose key a column of a table is or refers to, and whether it is one.
    """
    wanted = [
        alternatives(All(tuple(_resolved(formula, recursions, folds=folds) for formula in occurrence.formulas)), number)
        for number, occurrence in enumerate(occurrences)
    ]
    kept = _ordered(wanted, recursions)
    numbers: dict[int, range] = {}
    for number, found in kept.items():
        start = sum(map(len, numbers.values()))
        numbers[number] = range(start, start + len(found))

    def source(occurrence: Occurrence, restricted: Alternative) -> Source:
        equal = []
        for column, within in restricted.equal:
            places = sorted({_place(at) for at in within}, key=lambda at: (at.occurrence, at.column))
            table, is_key = key_of(occurrence.table, column)
            others = [key_of(occurrences[at.occurrence].table, at.column) for at in places]
            by_key = all(is_key or is_other or (bool(table) and table == other) for other, is_other in others)
            values_of = tuple(ColumnOf(n, at.column) for at in places for n in numbers[at.occurrence])
            of_keys = all(is_other for _, is_other in others)
            equal.append(Equal(column, values_of, by_key, is_key, of_keys))
        equal.sort(key=lambda each: (each.column, [(at.source, at.column) for at in each.values_of]))
        columns = None if occurrence.columns is None else frozenset(occurrence.columns)
        return Source(occurrence.table, occurrence.line, columns, dict(restricted.constants), tuple(equal))

    return tuple(source(occurrences[number], alternative) for number, found in kept.items() for alternative in found)


def _place(at: At | Late | Loop) -> At:
    assert not isinstance(at, Loop)  # noqa: S101 - all have been resolved
    return at if isinstance(at, At) else at.at


def _ordered(wanted: list[tuple[Alternative, ...]], recursions: list[Recursion]) -> dict[int, tuple[Alternative, ...]]:
    """The occurrences in an order in which as many as possible are restricted, with the restrictions that fit it.

    A restriction by the values of an occurrence that comes later is left out, except within a recursive query.
    """
    kept: dict[int, tuple[Alternative, ...]] = {}
    left = dict(enumerate(wanted))
    while left:
        best: tuple[int, int, tuple[Alternative, ...]] | None = None
        for number, found in left.items():
            possible = tuple(_possible(alternative, number, kept, recursions) for alternative in found)
            rank = max(map(_rank, possible), default=0)
            if best is None or rank < best[0]:
                best = rank, number, possible
            if rank == 0:
                break
        assert best is not None  # noqa: S101 - there is one left
        kept[best[1]] = (Alternative({}),) if best[0] == 2 else best[2]
        del left[best[1]]
    return kept


def _possible(each: Alternative, number: int, placed: Mapping[int, object], recursions: list[Recursion]) -> Alternative:
    def is_known(at: At | Late | Loop) -> bool:
        is_same_recursion = isinstance(at, Late) and number in recursions[at.recursion].within
        return is_same_recursion or _place(at).occurrence in placed

    fits = frozenset((column, within) for column, within in each.equal if all(map(is_known, within)))
    return Alternative(each.constants, fits)


def _rank(each: Alternative) -> int:
    return 0 if each.constants else 1 if each.equal else 2


def _resolved(formula: Formula, recursions: list[Recursion], *, folds: bool) -> Formula:
    """The formula with the values of recursive queries."""
    match formula:
        case All(parts):
            return All(tuple(_resolved(part, recursions, folds=folds) for part in parts))
        case Either(parts):
            return Either(tuple(_resolved(part, recursions, folds=folds) for part in parts))
        case OneOf(places, None, columns) if any(isinstance(at, Loop) for at in columns):
            texts: set[str] = set()
            found: set[At | Late] = set()
            for at in columns:
                if isinstance(at, Loop):
                    values = _all_values(at, recursions)
                    if values is None:
                        return ANYTHING
                    texts |= values[0]
                    found |= values[1]
                else:
                    found.add(at)
            fixed = (OneOf(places, Constants(frozenset(texts), folds=folds)),) if texts else ()
            return Either((*fixed, *((OneOf(places, None, frozenset(found)),) if found else ())))
    return formula


def _all_values(loop: Loop, recursions: list[Recursion]) -> tuple[set[str], set[At | Late]] | None:
    """Everything that a column of a recursive query can be, however often it recurs."""
    texts: set[str] = set()
    found: set[At | Late] = set()
    pending, seen = [loop], {loop}
    while pending:
        each = pending.pop()
        recursion = recursions[each.recursion]
        step = recursion.step
        for values, is_late in ((recursion.start[each.position], False), (step[each.position] if step else None, True)):
            if values is None:
                return None
            texts |= values.texts
            for at in values.columns:
                if isinstance(at, Loop):
                    if at not in seen:
                        seen.add(at)
                        pending.append(at)
                else:
                    found.add(Late(at, each.recursion) if is_late and isinstance(at, At) else at)
    return texts, found


# -- the values that names stand for -----------------------------------------------------------------------------------


class UnknownPartError(Exception):
    """A part of a statement that may read anything."""

    def __init__(self, reason: str, node: exp.Expr | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


def line_of(node: exp.Expr) -> int | None:
    """The line of the first name in a part of a statement."""
    lines = (name.meta.get("line") for name in node.find_all(exp.Identifier))
    return next((line for line in lines if isinstance(line, int)), None)


@dataclass(frozen=True, slots=True)
class Flow:
    """A value in a query.

    If only rows with some values here matter, then of the occurrences of `places` only rows with these values do.
    """

    places: frozenset[At] = frozenset()
    values: Values | None = None  # None: anything
    uses: frozenset[At] = frozenset()  # the columns that it depends on

    def without_places(self) -> Flow:
        return Flow(frozenset(), self.values, self.uses)


def joined(flows: list[Flow]) -> Flow:
    """A value that is one of these."""
    values: Values | None = Values()
    for flow in flows:
        values = None if values is None or flow.values is None else values | flow.values
    return Flow(frozenset().union(*(flow.places for flow in flows)), values, uses_of(flows))


def uses_of(flows: Iterable[Flow]) -> frozenset[At]:
    """The columns that these values depend on."""
    return frozenset().union(*(flow.uses for flow in flows))


def only_of(flows: Sequence[Flow]) -> Flow:
    """The value that is meant: of several, it may be any, and it may be anything."""
    return flows[0] if len(flows) == 1 else Flow(uses=uses_of(flows))


def column_at(number: int, column: str) -> Flow:
    """A column of an occurrence as it is."""
    place = frozenset([At(number, column)])
    return Flow(place, Values(columns=place), place)


@dataclass(frozen=True, slots=True)
class Output:
    """The columns of a query or relation. With `is_open`, there may be others, which may be anything."""

    columns: tuple[tuple[str, Flow], ...] = ()
    is_open: bool = False
    formula: Formula = ANYTHING  # holds for the rows of the query's own occurrences and of those around it
    unnamed: tuple[int, ...] = ()  # occurrences of tables whose columns nobody has declared

    @property
    def only(self) -> Flow:
        """The value of a query with one column, as a part of an expression."""
        return self.columns[0][1].without_places() if len(self.columns) == 1 else Flow()

    def named(self, names: Sequence[str]) -> tuple[tuple[str, Flow], ...]:
        """The columns with other names for the first ones."""
        kept = [*names, *(name for name, _ in self.columns[len(names) :])]
        return tuple((name, flow) for name, (_, flow) in zip(kept, self.columns, strict=True))

    def without_places(self) -> Output:
        columns = tuple((name, flow.without_places()) for name, flow in self.columns)
        return Output(columns, self.is_open or bool(self.unnamed), self.formula)


@dataclass
class Item:
    """Something after FROM, under its name."""

    name: str
    output: Output
    is_hidden: bool = False  # the right side of a semijoin
    table: str = ""

    def __post_init__(self) -> None:
        self.columns: dict[str, Flow] = {}
        self.twice: set[str] = set()
        for name, flow in self.output.columns:
            if name in self.columns:
                self.twice.add(name)
            self.columns[name] = flow


@dataclass(frozen=True, slots=True)
class Cte:
    """A query with a name. `within` is the scope in which its own names are looked up."""

    node: exp.Expr | None
    within: Scope | None
    columns: tuple[str, ...] = ()
    is_recursive: bool = False
    output: Output | None = None  # of a recursive query, for its own recursive part


@dataclass
class Scope:
    """The names that are visible in a query."""

    parent: Scope | None = None
    items: list[Item] = field(default_factory=list)
    merged: dict[str, Flow] = field(default_factory=dict)  # columns that USING has made one
    ctes: dict[str, Cte] = field(default_factory=dict)
    parameters: dict[str, Flow] = field(default_factory=dict)  # of a function
    aliases: dict[str, exp.Expr] = field(default_factory=dict)  # names in the SELECT list

    def up(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def cte(self, name: str) -> Cte | None:
        """The query with this name."""
        return next((scope.ctes[name] for scope in self.up() if name in scope.ctes), None)

    @property
    def visible(self) -> list[Item]:
        return [item for item in self.items if not item.is_hidden]

    def before(self) -> Scope:
        """The scope of a query as it is now: it sees those before it."""
        return Scope(self.parent, ctes=dict(self.ctes))

    def without_items(self) -> Scope:
        """The scope without the relations next to it, which only a lateral query sees."""
        return Scope(self.parent, ctes=self.ctes, parameters=self.parameters)
