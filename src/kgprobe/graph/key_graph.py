"""`KeyGraph`: a graph as pattern matching sees it, by the keys of its terms.

A graph is a `TripleTable`, which never changes, and its `Changes`. A term that the table knows is its number there, and
any other term is itself. Such a value is a `Key`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any, Self, TypeVar

from kgprobe.graph.changes import Changes, Key, KeyTriple
from kgprobe.graph.table import Row, TripleTable
from kgprobe.graph.terms import Term

__all__ = ["KeyGraph"]

_S, _P, _O = 0, 1, 2
_T = TypeVar("_T")


class KeyGraph:
    """Lookups by keys, and changes by keys, each at the price of what it finds or changes."""

    __slots__ = ("_changes", "_findings", "table")

    def __init__(self, table: TripleTable, changes: dict[KeyTriple, bool]) -> None:
        self.table = table
        self._changes = Changes(changes)
        self._findings: dict[Callable[..., Any], Any] = {}

    def key(self, term: Term) -> Key:
        """The key of a term, whether or not this graph has it."""
        return self.table.numbers.get(term, term)

    def term(self, key: Key) -> Term:
        """The term of a key."""
        return self.table.terms[key] if type(key) is int else key  # type: ignore[return-value]  # mypy takes int for more

    def has(self, s: Key, p: Key, o: Key) -> bool:
        """Whether the triple with these keys is here."""
        change = self._changes.get((s, p, o))
        if change is not None:
            return change
        return type(s) is int and type(p) is int and type(o) is int and self.table.has(s, p, o)

    def lacking(self, triples: Iterable[KeyTriple]) -> list[KeyTriple]:
        """Those of these triples that are not here."""
        change_of, in_table = self._changes.get, self.table.has
        found = []
        for keys in triples:
            change = change_of(keys)
            if change is None:
                s, p, o = keys
                change = type(s) is int and type(p) is int and type(o) is int and in_table(s, p, o)
            if not change:
                found.append(keys)
        return found

    def objects(self, s: Key, p: Key) -> Sequence[Key]:
        """The objects of the triples with this subject and predicate."""
        found = self.table.third_parts(self.table.by_subject, s, p)
        changes = self._changes.touching(_S, s)
        return found if changes is None else _merged(found, changes, _P, p, _O)

    def subjects(self, p: Key, o: Key) -> Sequence[Key]:
        """The subjects of the triples with this predicate and object."""
        found = self.table.third_parts(self.table.by_predicate, p, o)
        changes = self._changes.touching(_O, o)
        return found if changes is None else _merged(found, changes, _P, p, _S)

    def predicates(self, s: Key, o: Key) -> Sequence[Key]:
        """The predicates of the triples with this subject and object."""
        found = self.table.third_parts(self.table.by_object, o, s)
        changes = self._changes.touching(_O, o)
        return found if changes is None else _merged(found, changes, _S, s, _P)

    def rows(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> Iterator[KeyTriple]:
        """The triples with these keys; None stands for any."""
        changes = self._changes
        if changes and s is None and p is None and o is None:
            return chain(zip(*self.table.columns(self._removed()), strict=True), changes.added(None, None, None))
        found = self.table.rows(s, p, o)
        changed = changes.matching(s, p, o) if changes else ()
        if not changed:
            return found
        gone = {keys for keys, added in changed if not added}
        left: Iterable[KeyTriple] = (row for row in found if row not in gone) if gone else found
        return chain(left, [keys for keys, added in changed if added])

    def about(self, s: Key) -> list[KeyTriple]:
        """The triples with this subject: the same as `rows(s)`, sooner if they are few."""
        changes = self._changes.touching(_S, s)
        found: list[KeyTriple] = self.table.about(s)  # type: ignore[assignment]  # nobody else has it
        return found if changes is None else _patched(found, changes)

    def to(self, o: Key) -> list[KeyTriple]:
        """The triples with this object: the same as `rows(None, None, o)`, sooner if they are few."""
        changes = self._changes.touching(_O, o)
        found: list[KeyTriple] = self.table.to(o)  # type: ignore[assignment]  # nobody else has it
        return found if changes is None else _patched(found, changes)

    def count(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> int:
        """How many triples have these keys, without looking at them."""
        begin, end = self.table.span(s, p, o)
        changed = self._changes.matching(s, p, o) if self._changes else ()
        return end - begin + (sum(1 if added else -1 for _, added in changed) if changed else 0)

    # The triples with some keys have places, counted from 0: those in the table first, then those that were added.
    # A triple that was removed leaves its place empty.

    def places(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> int:
        """How many places the triples with these keys have; `count`, if none was removed."""
        begin, end = self.table.span(s, p, o)
        if not self._changes:
            return end - begin
        return end - begin + sum(added for _, added in self._changes.matching(s, p, o))

    def at(self, place: int, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> KeyTriple | None:
        """The triple with these keys at this place; None if the place is empty or does not exist."""
        begin, end = self.table.span(s, p, o)
        if place < end - begin:
            row = self.table.row_at(begin + place, s, p, o)
            return None if row in self._changes else row
        added = self.added_rows(s, p, o)
        return added[place - end + begin] if place - end + begin < len(added) else None

    def added_rows(self, s: Key | None, p: Key | None, o: Key | None) -> list[KeyTriple]:
        """The triples with these keys that were added, in the order of their places."""
        return self._changes.added(s, p, o) if self._changes else []

    def most_places(self, predicate: Key | None, *, subject: bool, object_: bool) -> int:
        """At most how many places there are for this predicate (None: for any), whichever the subject or object is.

        `subject` and `object_` say which of them the lookup knows.
        """
        added = self.added(predicate)
        if predicate is not None and not isinstance(predicate, int):
            return added
        fan_out = self.table.fan_out(predicate)
        if subject and object_:
            return fan_out.per_pair + added
        return added + (fan_out.per_subject if subject else fan_out.per_object)

    def sample(
        self, random: Random, s: Key | None = None, p: Key | None = None, o: Key | None = None
    ) -> KeyTriple | None:
        """One of the triples with these keys, each as likely as any other; None if no triple has them."""
        begin, end = self.table.span(s, p, o)
        known = end - begin
        changes = self._changes.matching(s, p, o) if self._changes else ()
        added = [keys for keys, is_added in changes if is_added]
        places, removed = known + len(added), len(changes) - len(added)
        if removed and places - removed <= places // 2:  # too many places are empty
            rows = list(self.rows(s, p, o))
            return rows[int(random.random() * len(rows))] if rows else None
        while places:
            place = int(random.random() * places)
            if place >= known:
                return added[place - known]
            row = self.table.row_at(begin + place, s, p, o)
            if not removed or row not in self._changes:
                return row
        return None

    # -- what differs from the table -----------------------------------------------------------------------------

    @property
    def changed_keys(self) -> Mapping[KeyTriple, bool]:
        """The triples in which this graph differs from its table, by their keys, and whether each was added.

        This is not a copy: use `change` or `apply` to change the graph.
        """
        return self._changes

    def changed_parts(self, place: int) -> Collection[Key]:
        """The subjects (place 0), predicates (1) or objects (2) of the triples that were changed, each once."""
        return self._changes.parts(place)

    def changes_about(self, subject: Key) -> Mapping[KeyTriple, bool] | None:
        """The triples with this subject that were added (True) or removed; None: none."""
        return self._changes.touching(_S, subject)

    def changes_with(self, predicate: Key) -> Collection[KeyTriple]:
        """The triples with this predicate that were added or removed."""
        return self._changes.touching(_P, predicate) or ()

    def is_changed(self, place: int, key: Key) -> bool:
        """Whether triples with this key as subject (place 0), predicate (1) or object (2) were added or removed."""
        return key in self._changes.parts(place)

    def changed(self, predicate: Key | None) -> int:
        """How many triples with this predicate (None: with any) were added or removed."""
        if not self._changes:
            return 0
        return len(self._changes if predicate is None else self._changes.touching(_P, predicate) or ())

    def added(self, predicate: Key | None) -> int:
        """How many triples with this predicate (None: with any) were added."""
        changes = self._changes if predicate is None else self._changes.touching(_P, predicate) or {}
        return sum(changes.values())

    # -- changing it ---------------------------------------------------------------------------------------------

    def flip(self, keys: KeyTriple) -> None:
        """Remove the triple with these keys if it is here, else add it."""
        self._changes.flip(keys, not self._in_table(keys))
        self._findings.clear()

    def change(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Remove triples that are here, and add triples that are not, by their keys. The caller knows that it is so."""
        self._changes.note(removed, added)
        self._findings.clear()

    def settle(self) -> None:
        """Put the changes in the order of a `Delta`, and let go of what only speeds up the next change.

        The order of triples then depends on what was changed, and not on how. A graph that is made again from its delta
        has the same order, so it is the same text in every format.
        """
        self._changes.settle(self.table.terms)
        self._findings.clear()

    def found(self, find: Callable[[Self], _T]) -> _T:
        """The result of this function for the graph. It is kept until the graph changes; see `derived`."""
        if find not in self._findings:
            self._findings[find] = find(self)
        known: _T = self._findings[find]
        return known

    def remember(self, find: Callable[[Self], _T], value: _T) -> None:
        """Keep a value that this function would find, if it is known from elsewhere."""
        self._findings[find] = value

    def _in_table(self, keys: KeyTriple) -> bool:
        s, p, o = keys
        return type(s) is int and type(p) is int and type(o) is int and self.table.has(s, p, o)

    def _removed(self) -> list[Row]:
        return [keys for keys, added in self._changes.items() if not added]  # type: ignore[misc]  # the table had them


def _patched(found: Sequence[KeyTriple], changes: Mapping[KeyTriple, bool]) -> list[KeyTriple]:
    """What the table has, without what was removed and with what was added, if these are all changes of this shape."""
    added = [keys for keys, is_added in changes.items() if is_added]
    if len(added) < len(changes):
        return [row for row in found if row not in changes] + added
    return [*found, *added]


def _merged(
    found: Sequence[int], changes: Mapping[KeyTriple, bool], fixed: int, key: Key, wanted: int
) -> Sequence[Key]:
    """What the table has, without what was removed and with what was added, where the place `fixed` has this key."""
    added: list[Key] = []
    removed: set[Key] = set()
    for keys, is_added in changes.items():
        if keys[fixed] == key:
            (added.append if is_added else removed.add)(keys[wanted])
    if removed:
        return [part for part in found if part not in removed] + added
    return [*found, *added] if added else found
