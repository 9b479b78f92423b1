"""A table with changes, and lookups in both: a graph as pattern matching sees it, with keys instead of terms.

A graph consists of a `TripleTable`, which never changes, and its `Changes`: added and removed triples, indexed by each
of their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any, Self, TypeVar

from kgprobe.rdf.table import Key, KeyTriple, Row, TripleTable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

_S, _P, _O = 0, 1, 2
_T = TypeVar("_T")
_TERMS = (NamedNode, BlankNode, Literal, Triple)


class Changes:
    """The changed triples, and an index of them by each of their parts."""

    __slots__ = ("_index", "_unindexed", "records")

    def __init__(self, changes: dict[KeyTriple, bool]) -> None:
        self.records = changes
        """The changed triples, each with True if it was added and False if it was removed. Only to be read."""
        # The changed triples by subject, by predicate and by object. The index is updated when it is used, so a change
        # that is undone before that costs next to nothing.
        self._index: tuple[dict[Key, dict[KeyTriple, bool]], ...] = ({}, {}, {})
        self._unindexed: dict[KeyTriple, bool] = dict(changes)

    def flip(self, keys: KeyTriple, added: bool) -> None:
        """Record this triple as a change of this kind or, if it is recorded already, drop the record."""
        if self.records.pop(keys, None) is None:
            self.records[keys] = added
        self._unindexed[keys] = added

    def switch(self, into: dict[KeyTriple, bool], out_of: dict[KeyTriple, bool]) -> None:
        """Record all of `into`, and drop all of `out_of`. The caller ensures that only `out_of` is recorded."""
        self.records.update(into)
        for keys in out_of:
            del self.records[keys]
        self._unindexed.update(into)
        self._unindexed.update(out_of)

    def note(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Record removed and added triples. If a triple was changed the other way before, its record is dropped."""
        if self._unindexed:
            self._update_index()
        by_subject, by_predicate, by_object = self._index
        put = self.records.setdefault
        for triples, kind in ((removed, False), (added, True)):
            for keys in triples:
                if put(keys, kind) is not kind:
                    del self.records[keys]
                    self._forget(keys)
                    continue
                # Callers of `note` look at the graph between changes, so the index is updated immediately.
                s, p, o = keys
                by_subject.setdefault(s, {})[keys] = kind
                by_predicate.setdefault(p, {})[keys] = kind
                by_object.setdefault(o, {})[keys] = kind

    def settle(self, terms: Sequence[Term]) -> None:
        """Put removed triples first, then added triples sorted by their text. `terms` are the terms of the table.

        This also frees the index, which takes more memory than the changes. The next lookup builds it again.
        """
        added = {}
        for keys, is_added in self.records.items():
            if is_added:
                s, p, o = keys
                # The same as the text of the triple, but faster than making a triple.
                text = f"{terms[s] if type(s) is int else s} {terms[p] if type(p) is int else p} "
                added[f"{text}{terms[o] if type(o) is int else o}"] = keys
        for text in sorted(added):
            keys = added[text]
            del self.records[keys]
            self.records[keys] = True  # moves it to the end
        self._index = ({}, {}, {})
        self._unindexed = self.records.copy()

    def touching(self, place: int, key: Key) -> dict[KeyTriple, bool] | None:
        """The changed triples with this key as subject (place 0), predicate (1) or object (2), or None."""
        if self._unindexed:
            self._update_index()
        return self._index[place].get(key)

    def parts(self, place: int) -> Collection[Key]:
        """The subjects (place 0), predicates (1) or objects (2) of the changed triples, each once."""
        if self._unindexed:
            self._update_index()
        return self._index[place]

    def matching(self, s: Key | None, p: Key | None, o: Key | None) -> Collection[tuple[KeyTriple, bool]]:
        """The changed triples with these keys; None stands for any."""
        # There are usually fewer candidates by object than by subject, and never more than by predicate.
        if o is not None:
            rows = self.touching(2, o)
            if rows is None:
                return ()
            if s is not None or p is not None:
                return [e for e in rows.items() if (p is None or e[0][1] == p) and (s is None or e[0][0] == s)]
        elif s is not None:
            rows = self.touching(0, s)
            if rows is None:
                return ()
            if p is not None:
                return [entry for entry in rows.items() if entry[0][1] == p]
        else:
            rows = self.records if p is None else self.touching(1, p)
        return rows.items() if rows else ()

    def added(self, s: Key | None, p: Key | None, o: Key | None) -> list[KeyTriple]:
        """The added triples with these keys; None stands for any."""
        return [keys for keys, added in self.matching(s, p, o) if added]

    def _update_index(self) -> None:
        by_subject, by_predicate, by_object = self._index
        for keys in self._unindexed:
            added = self.records.get(keys)
            if added is None:
                self._forget(keys)
            else:
                s, p, o = keys
                by_subject.setdefault(s, {})[keys] = added
                by_predicate.setdefault(p, {})[keys] = added
                by_object.setdefault(o, {})[keys] = added
        self._unindexed.clear()

    def _forget(self, keys: KeyTriple) -> None:
        for index, key in zip(self._index, keys, strict=True):
            entry = index.get(key)
            if entry is not None:
                entry.pop(keys, None)
                if not entry:
                    del index[key]


class KeyGraph:
    """Lookups and changes by keys. Each costs time in proportion to the triples that it finds or changes."""

    __slots__ = ("_changes", "_findings", "_records", "table")

    def __init__(self, table: TripleTable, changes: dict[KeyTriple, bool]) -> None:
        self.table = table
        self._changes = Changes(changes)
        self._records = self._changes.records
        self._findings: dict[Callable[..., Any], Any] = {}

    def key(self, term: Term) -> Key:
        """The key of a term, whether or not this graph has the term. TypeError if it is another library's."""
        key = self.table.numbers.get(term)
        if key is None and not isinstance(term, _TERMS):
            kind = f"{type(term).__module__.partition('.')[0]}'s {type(term).__name__}"  # type: ignore[unreachable]  # not from users
            raise TypeError(f"a term of a graph is a NamedNode, a BlankNode or a Literal of pyoxigraph, not {kind}")
        return term if key is None else key

    def term(self, key: Key) -> Term:
        """The term of a key."""
        return self.table.terms[key] if type(key) is int else key  # type: ignore[return-value]  # int has subclasses

    def has(self, s: Key, p: Key, o: Key) -> bool:
        """Whether the graph has the triple with these keys."""
        change = self._records.get((s, p, o))
        if change is not None:
            return change
        return type(s) is int and type(p) is int and type(o) is int and self.table.has(s, p, o)

    def lacking(self, triples: Iterable[KeyTriple]) -> list[KeyTriple]:
        """The given triples that the graph lacks."""
        change_of, in_table = self._records.get, self.table.has
        removed = []
        for keys in triples:
            change = change_of(keys)
            if change is None:
                s, p, o = keys
                change = type(s) is int and type(p) is int and type(o) is int and in_table(s, p, o)
            if not change:
                removed.append(keys)
        return removed

    def objects(self, s: Key, p: Key) -> Sequence[Key]:
        """The objects of the triples with this subject and predicate."""
        keys = self.table.third_parts(self.table.by_subject, s, p)
        changes = self._changes.touching(_S, s)
        return keys if changes is None else _merged(keys, changes, _P, p, _O)

    def subjects(self, p: Key, o: Key) -> Sequence[Key]:
        """The subjects of the triples with this predicate and object."""
        keys = self.table.third_parts(self.table.by_predicate, p, o)
        changes = self._changes.touching(_O, o)
        return keys if changes is None else _merged(keys, changes, _P, p, _S)

    def predicates(self, s: Key, o: Key) -> Sequence[Key]:
        """The predicates of the triples with this subject and object."""
        keys = self.table.third_parts(self.table.by_object, o, s)
        changes = self._changes.touching(_O, o)
        return keys if changes is None else _merged(keys, changes, _S, s, _P)

    def rows(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> Iterator[KeyTriple]:
        """The triples with these keys; None stands for any."""
        if self._records and s is None and p is None and o is None:
            return chain(zip(*self.table.columns(self._removed()), strict=True), self._changes.added(None, None, None))
        stated = self.table.rows(s, p, o)
        changed = self._changes.matching(s, p, o) if self._records else ()
        if not changed:
            return stated
        gone = {keys for keys, added in changed if not added}
        left: Iterable[KeyTriple] = (row for row in stated if row not in gone) if gone else stated
        return chain(left, [keys for keys, added in changed if added])

    def about(self, s: Key) -> list[KeyTriple]:
        """The triples with this subject: the same as `rows(s)`, but faster for a few triples."""
        changes = self._changes.touching(_S, s)
        rows: list[KeyTriple] = self.table.about(s)  # type: ignore[assignment]  # the list is not shared
        return rows if changes is None else _patched(rows, changes)

    def to(self, o: Key) -> list[KeyTriple]:
        """The triples with this object: the same as `rows(None, None, o)`, but faster for a few triples."""
        changes = self._changes.touching(_O, o)
        rows: list[KeyTriple] = self.table.to(o)  # type: ignore[assignment]  # the list is not shared
        return rows if changes is None else _patched(rows, changes)

    def count(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> int:
        """How many triples have these keys, without visiting them."""
        begin, end = self.table.span(s, p, o)
        changed = self._changes.matching(s, p, o) if self._records else ()
        return end - begin + (sum(1 if added else -1 for _, added in changed) if changed else 0)

    # The triples with given keys have places, counted from 0: first those in the table, then the added ones.
    # A removed triple leaves its place empty.

    def places(self, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> int:
        """How many places the triples with these keys have: the same as `count` if none was removed."""
        begin, end = self.table.span(s, p, o)
        if not self._records:
            return end - begin
        return end - begin + sum(added for _, added in self._changes.matching(s, p, o))

    def at(self, place: int, s: Key | None = None, p: Key | None = None, o: Key | None = None) -> KeyTriple | None:
        """The triple with these keys at this place; None if the place is empty or does not exist."""
        begin, end = self.table.span(s, p, o)
        if place < end - begin:
            row = self.table.row_at(begin + place, s, p, o)
            return None if row in self._records else row
        added = self.added_rows(s, p, o)
        return added[place - end + begin] if place - end + begin < len(added) else None

    def added_rows(self, s: Key | None, p: Key | None, o: Key | None) -> list[KeyTriple]:
        """The added triples with these keys, in the order of their places."""
        return self._changes.added(s, p, o) if self._records else []

    def most_places(self, predicate: Key | None, *, subject: bool, object_: bool) -> int:
        """An upper bound for the number of places for this predicate (None: any), for any subject or object.

        `subject` and `object_` say whether the lookup gives them.
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
        """A random triple with these keys, drawn uniformly; None if no triple has them."""
        begin, end = self.table.span(s, p, o)
        known = end - begin
        changes = self._changes.matching(s, p, o) if self._records else ()
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
            if not removed or row not in self._records:
                return row
        return None

    # -- differences from the table ------------------------------------------------------------------------------

    @property
    def changed_keys(self) -> Mapping[KeyTriple, bool]:
        """The keys of the triples in which this graph differs from its table, and whether each was added.

        This is not a copy. Use `change` or `apply` to change the graph.
        """
        return self._records

    def changed_parts(self, place: int) -> Collection[Key]:
        """The subjects (place 0), predicates (1) or objects (2) of the changed triples, each once."""
        return self._changes.parts(place)

    def changes_at(self, place: int, key: Key) -> Mapping[KeyTriple, bool] | None:
        """The triples with this subject (place 0), predicate (1) or object (2) that were added (True) or removed.

        None if there are none.
        """
        return self._changes.touching(place, key)

    def changed(self, predicate: Key | None) -> int:
        """How many triples with this predicate (None: any) were added or removed."""
        if not self._records:
            return 0
        return len(self._records if predicate is None else self._changes.touching(_P, predicate) or ())

    def added(self, predicate: Key | None) -> int:
        """How many triples with this predicate (None: any) were added."""
        changes = self._records if predicate is None else self._changes.touching(_P, predicate) or {}
        return sum(changes.values())

    # -- changing the graph --------------------------------------------------------------------------------------

    def flip(self, keys: KeyTriple) -> None:
        """Remove the triple with these keys if the graph has it, else add it."""
        self._changes.flip(keys, not self._in_table(keys))
        self._findings.clear()

    def change(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Remove and add triples by keys. The graph must have all of `removed` and none of `added`."""
        self._changes.note(removed, added)
        self._findings.clear()

    def settle(self) -> None:
        """Put the changes in the order of a `Delta`, and free the index that only speeds up the next change.

        The order of the triples then depends only on the changes, not on the order in which they were made. A graph
        rebuilt from its delta has the same order, and so the same text in every format.
        """
        self._changes.settle(self.table.terms)
        self._findings.clear()

    def cached(self, find: Callable[[Self], _T]) -> _T:
        """The result of this function for the graph, cached until the graph changes; see `derived`."""
        if find not in self._findings:
            self._findings[find] = find(self)
        known: _T = self._findings[find]
        return known

    def remember(self, find: Callable[[Self], _T], value: _T) -> None:
        """Cache a value that is already known to be the result of this function."""
        self._findings[find] = value

    def _in_table(self, keys: KeyTriple) -> bool:
        s, p, o = keys
        return type(s) is int and type(p) is int and type(o) is int and self.table.has(s, p, o)

    def _removed(self) -> list[Row]:
        return [keys for keys, added in self._records.items() if not added]  # type: ignore[misc]  # the table had them


def _patched(rows: Sequence[KeyTriple], changes: Mapping[KeyTriple, bool]) -> list[KeyTriple]:
    """The table's triples with these changes applied. All changes must match the lookup."""
    added = [keys for keys, is_added in changes.items() if is_added]
    if len(added) < len(changes):
        return [row for row in rows if row not in changes] + added
    return [*rows, *added]


def _merged(
    parts: Sequence[int], changes: Mapping[KeyTriple, bool], fixed: int, key: Key, wanted: int
) -> Sequence[Key]:
    """The parts that the table has, with the changes applied that have this key at the place `fixed`."""
    added: list[Key] = []
    removed: set[Key] = set()
    for keys, is_added in changes.items():
        if keys[fixed] == key:
            (added.append if is_added else removed.add)(keys[wanted])
    if removed:
        return [part for part in parts if part not in removed] + added
    return [*parts, *added] if added else parts
