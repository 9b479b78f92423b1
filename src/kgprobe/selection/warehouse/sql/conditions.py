"""What a condition says about each column that it mentions, as far as rows that fail it cannot matter.

A condition is a formula of restrictions. A row of a joined relation that passes a condition comes from rows of tables
that pass what remains of the formula for them. All restrictions reject NULL, so that this also holds for the side of an
outer join that may be missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.selection.warehouse.reads import Constants

__all__ = [
    "ANYTHING",
    "All",
    "Alternative",
    "At",
    "Either",
    "Formula",
    "Late",
    "Loop",
    "OneOf",
    "Values",
    "alternatives",
]

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
                if any(each.is_empty for each in more):
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
    for each in sorted(found, key=lambda one: len(one.constants) + len(one.equal)):
        if not any(one.constants.items() <= each.constants.items() and one.equal <= each.equal for one in kept):
            kept.append(each)
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
    for each in found:
        if len(each.constants) == 1 and not each.equal:
            ((column, more),) = each.constants.items()
            known = by_column.get(column)
            by_column[column] = more if known is None else _wider(known, more)
        else:
            rest[(tuple(sorted(each.constants.items(), key=lambda item: item[0])), each.equal)] = each
    return (*(Alternative({column: said}) for column, said in by_column.items()), *rest.values())


def _wider(first: Constants, second: Constants) -> Constants:
    patterns = tuple(dict.fromkeys([*first.patterns, *second.patterns]))
    return Constants(first.texts | second.texts, patterns, first.folds or second.folds)
