"""Changed rows without blank nodes, by the entities that they are about and by what their predicates say.

There can be a hundred thousand of them, and a summary shows a few: nothing is made of a row before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import cast

import numpy as np

from kgprobe.comparison.kinds import DECLARING
from kgprobe.comparison.model import Aspect, ValueChange
from kgprobe.comparison.vocabulary import ASPECTS
from kgprobe.graph.axioms.name_kinds import is_reserved
from kgprobe.graph.rows import Numbers, row_tuples
from kgprobe.graph.table import Row
from kgprobe.graph.terms import RDF, RDFS, NamedNode, Term

__all__ = ["Statements"]

_ORDER = {aspect: place for place, aspect in enumerate(Aspect)}
# The columns of the rows with values.
_SUBJECT, _RANK, _SIDE, _VALUE = range(4)


class Statements:
    """What two versions of a graph state about names, and only one of them does."""

    def __init__(
        self, terms: Sequence[Term], removed: Numbers, added: Numbers, is_fact: Callable[[NamedNode], bool]
    ) -> None:
        """`is_fact` says whether a statement with a predicate of the graph's own has a meaning in logic."""
        self._terms = terms
        self._rows = removed, added
        predicates = sorted({*removed[:, 1].tolist(), *added[:, 1].tolist()})
        aspects = {p: _aspect(cast(NamedNode, terms[p]), is_fact) for p in predicates}
        self._type = next((p for p in predicates if terms[p] == RDF.type), -1)
        self._logical = [p for p, aspect in aspects.items() if aspect is None or aspect is Aspect.PARENT]
        # The predicates of values in the order in which they are shown, and what their values tell.
        self._aspects = {p: aspect for p, aspect in aspects.items() if aspect is not None}
        self._predicates = sorted(self._aspects, key=lambda p: (_ORDER[self._aspects[p]], terms[p].value))

    def names(self) -> Numbers:
        """All that the statements are about, or that is named where it has a meaning in logic, in order."""
        is_there = np.zeros(len(self._terms), dtype=bool)
        is_value = np.zeros(len(self._terms), dtype=bool)
        for rows in self._rows:
            is_there[rows[:, 0]] = True
            is_value[rows[np.isin(rows[:, 1], self._logical)]] = True
        values = np.flatnonzero(is_value & ~is_there).tolist()
        is_there[[number for number in values if type(self._terms[number]) is NamedNode]] = True
        return np.flatnonzero(is_there)

    def logic(self, without: Collection[int]) -> tuple[list[Row], list[Row]]:
        """The rows with a meaning in logic, without the declarations of these names."""
        names = list(without)
        removed, added = (
            row_tuples(
                rows[
                    np.isin(rows[:, 1], self._logical)
                    & ~(self._is_typed(rows, self._declaring) & np.isin(rows[:, 0], names))
                ]
            )
            for rows in self._rows
        )
        return removed, added

    def subjects(self, *aspects: Aspect) -> Numbers:
        """The names with other values than before, in one of these aspects or, without any, in any."""
        rows = self._values
        if aspects:
            ranks = [rank for rank, p in enumerate(self._predicates) if self._aspects[p] in aspects]
            rows = rows[np.isin(rows[:, _RANK], ranks)]
        is_there = np.zeros(len(self._terms), dtype=bool)
        is_there[rows[:, _SUBJECT]] = True
        return np.flatnonzero(is_there)

    def values(self, subject: int) -> tuple[ValueChange, ...]:
        """The values of a name that only one version has."""
        start, end = np.searchsorted(self._values[:, _SUBJECT], [subject, subject + 1]).tolist()
        found: dict[int, tuple[list[Term], list[Term]]] = {}
        for _, rank, side, value in self._values[start:end].tolist():
            found.setdefault(rank, ([], []))[side].append(self._terms[value])
        return tuple(
            [
                ValueChange(self._aspects[p], cast(NamedNode, self._terms[p]), tuple(gone), tuple(come))
                for rank, (gone, come) in found.items()
                for p in (self._predicates[rank],)
            ]
        )

    def counts(self, aspect: Aspect, subjects: Numbers) -> dict[NamedNode, tuple[int, int]]:
        """How many values of these subjects went and came, by predicates with this aspect."""
        is_meant = np.zeros(len(self._terms), dtype=bool)
        is_meant[subjects] = True
        rows = self._values[is_meant[self._values[:, _SUBJECT]]]
        gone, come = (
            np.bincount(rows[rows[:, _SIDE] == side, _RANK], minlength=len(self._predicates)).tolist()
            for side in (0, 1)
        )
        return {
            cast(NamedNode, self._terms[p]): (gone[rank], come[rank])
            for rank, p in enumerate(self._predicates)
            if self._aspects[p] is aspect and (gone[rank] or come[rank])
        }

    def having(self, predicate: NamedNode) -> dict[int, tuple[list[Term], list[Term]]]:
        """The values of one predicate that only one version has, by subject."""
        found: dict[int, tuple[list[Term], list[Term]]] = {}
        number = next((p for p in self._predicates if self._terms[p] == predicate), -1)
        for side, rows in enumerate(self._rows):
            for s, _, o in rows[rows[:, 1] == number].tolist():
                found.setdefault(s, ([], []))[side].append(self._terms[o])
        return found

    @cached_property
    def _values(self) -> Numbers:
        """Rows of a subject, the rank of a predicate, the version that has it (0: the old one), and a value."""
        ranks = np.full(len(self._terms), -1)
        ranks[self._predicates] = np.arange(len(self._predicates))
        parts = []
        for side, rows in enumerate(self._rows):
            rank = ranks[rows[:, 1]]
            rank[self._is_typed(rows, self._declaring) | self._is_typed(rows, self._reserved)] = -1
            chosen = rows[rank >= 0]
            sides = np.full(len(chosen), side)
            parts.append(np.stack((chosen[:, 0], rank[rank >= 0], sides, chosen[:, 2]), axis=1))
        found = np.concatenate(parts)
        in_order: Numbers = found[np.lexsort((found[:, _SIDE], found[:, _RANK], found[:, _SUBJECT]))]
        return in_order

    def _is_typed(self, rows: Numbers, types: list[int]) -> Numbers:
        return cast(Numbers, (rows[:, 1] == self._type) & np.isin(rows[:, 2], types))

    @cached_property
    def _types(self) -> set[int]:
        return {o for rows in self._rows for o in rows[rows[:, 1] == self._type, 2].tolist()}

    @cached_property
    def _declaring(self) -> list[int]:
        return [number for number in self._types if self._terms[number] in DECLARING]

    @cached_property
    def _reserved(self) -> list[int]:
        return [number for number in self._types if is_reserved(cast(NamedNode, self._terms[number]))]


def _aspect(predicate: NamedNode, is_fact: Callable[[NamedNode], bool]) -> Aspect | None:
    if predicate in (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type):
        return Aspect.PARENT
    if predicate in ASPECTS:
        return ASPECTS[predicate]
    return None if is_reserved(predicate) or is_fact(predicate) else Aspect.ANNOTATION
