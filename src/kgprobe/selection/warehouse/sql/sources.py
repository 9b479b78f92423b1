"""The occurrences of stored tables in a statement, and their order as sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kgprobe.selection.warehouse.reads import ColumnOf, Constants, Equal, Source
from kgprobe.selection.warehouse.sql.conditions import (
    ANYTHING,
    All,
    Alternative,
    At,
    Either,
    Formula,
    Late,
    Loop,
    OneOf,
    Values,
    alternatives,
)

__all__ = ["Occurrence", "Recursion", "sources_of"]


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
        alternatives(All(tuple(_resolved(each, recursions, folds=folds) for each in occurrence.formulas)), number)
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

    return tuple(source(occurrences[number], each) for number, found in kept.items() for each in found)


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
            possible = tuple(_possible(each, number, kept, recursions) for each in found)
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
