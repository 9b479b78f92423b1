"""Which joins stay with the terms that the constants of a statement name, if nobody says what the tables hold.

A row is about a term, or about a term and one above or below it. So the other terms of the rows that name a term are
in its cone. Those that are joined with these are not: the rows about a parent of a term also connect it with the
siblings of the term. A join stays in the cone only if it leads to the row that a key gives to a term, starts at the
named term itself, or goes on in the same table in the same direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.selection.warehouse.reads import ColumnOf, Equal, Source

__all__ = ["SameTerms"]


@dataclass(frozen=True)
class SameTerms:
    """The joins of one statement. `named` has the columns of each source whose constants name terms."""

    sources: Sequence[Source]
    named: Sequence[frozenset[str]]

    def holds(self, number: int, equal: Equal) -> bool:
        """Whether the rows of a source that a join lets pass are about terms in the cones of the named ones."""
        return all(self._stays(number, equal, each) for each in equal.values_of)

    def _stays(self, number: int, equal: Equal, each: ColumnOf) -> bool:
        if each.source == number or any(at.source == number for at in equal.values_of):
            same_table = self.sources[each.source].table == self.sources[number].table
            return same_table and each.column != equal.column
        if not equal.by_key:
            return False
        if equal.is_key or self._is_named(each, frozenset(), is_key=equal.of_keys):
            return True
        origins = list(self._origins(each, self.sources[number].table, frozenset(), is_key=equal.of_keys))
        return bool(origins) and all(at is not None and self._goes_on(at, equal.column) for at in origins)

    def _is_named(self, at: ColumnOf, seen: frozenset[ColumnOf], *, is_key: bool) -> bool:
        """Whether a column holds nothing but the named terms: by itself, or because each row has one term's key."""
        named = self.named[at.source]
        if at.column in named or (is_key and named):
            return True
        return at not in seen and any(
            all(self._is_named(each, seen | {at}, is_key=equal.of_keys) for each in equal.values_of)
            for equal in self.sources[at.source].equal
            if equal.by_key and (equal.column == at.column or (is_key and equal.is_key))
        )

    def _origins(
        self, at: ColumnOf, table: str, seen: frozenset[ColumnOf], *, is_key: bool
    ) -> Iterator[ColumnOf | None]:
        """The columns of a table from which a value comes, if only keys are in between; None for another place."""
        source = self.sources[at.source]
        if source.table == table:
            yield at
            return
        between = [equal for equal in source.equal if is_key and equal.by_key and equal.is_key]
        if not between:
            yield None
        elif at not in seen:
            for each in between[0].values_of:
                yield from self._origins(each, table, seen | {at}, is_key=between[0].of_keys)

    def _goes_on(self, at: ColumnOf, column: str) -> bool:
        """Whether a source was entered by the same column, and left by another."""
        entered = {*self.named[at.source], *(equal.column for equal in self.sources[at.source].equal)}
        return at.column != column and column in entered
