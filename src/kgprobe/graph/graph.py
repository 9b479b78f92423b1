"""`Graph`: an exact set of triples that can be changed, and changed back, at the price of the change.

A graph is a `TripleTable`, which never changes, and its `Changes`. The table is shared by all graphs that come from it,
so a copy of a graph costs as much as its changes, and a graph whose changes have all been taken back is just as it was
when loaded: what happens next does not depend on what happened before.

Inside, a term that the table knows is its number there, and any other term is itself. Such a value is a `Key`. Pattern
matching works on keys; everybody else uses terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any, TypeVar

from kgprobe.graph.changes import Changes, Key, KeyTriple
from kgprobe.graph.delta import Delta
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.table import Row, TableBuilder, TripleTable
from kgprobe.graph.terms import BlankNode, NamedNode, Term, Triple

__all__ = ["Graph"]

_parts = operator.attrgetter("subject", "predicate", "object")
_S, _P, _O = 0, 1, 2
_T = TypeVar("_T")
# Each place of a triple holds its kind of term, and the types do not know which.
_mapped: Callable[..., Iterator[Any]] = map


@dataclass(frozen=True, slots=True)
class _Resolution:
    """What a delta means for the graphs of one table: the triples that become changes, and those that cease to be."""

    table: TripleTable
    into: dict[KeyTriple, bool]
    out_of: dict[KeyTriple, bool]


class Graph:
    """A set of RDF triples, in an order that depends only on how it was loaded and then changed."""

    __slots__ = ("_changes", "_findings", "spelling", "table")

    def __init__(self, triples: Iterable[Triple] = (), *, spelling: Spelling | None = None) -> None:
        builder = TableBuilder()
        builder.extend(chain.from_iterable(map(_parts, triples)))
        self.__setstate__((builder.build(), spelling or Spelling(), {}))

    @classmethod
    def from_table(cls, table: TripleTable, spelling: Spelling | None = None) -> Graph:
        """The graph that a reader's table holds."""
        graph = cls.__new__(cls)
        graph.__setstate__((table, spelling or Spelling(), {}))
        return graph

    def copy(self) -> Graph:
        """An independent graph with the same triples, for the price of the changes made so far."""
        graph = Graph.__new__(Graph)
        graph.__setstate__(self.__getstate__())
        return graph

    def __getstate__(self) -> tuple[TripleTable, Spelling, dict[KeyTriple, bool]]:
        return self.table, self.spelling, dict(self._changes)

    def __setstate__(self, state: tuple[TripleTable, Spelling, dict[KeyTriple, bool]]) -> None:
        self.table, self.spelling, changes = state
        self._changes = Changes(changes)
        self._findings: dict[Callable[[Graph], Any], Any] = {}

    # -- the set of triples --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        added = sum(self._changes.values())
        return len(self.table) + added - (len(self._changes) - added)

    def __contains__(self, triple: Triple) -> bool:
        return self.has(*self.keys(triple))

    def __iter__(self) -> Iterator[Triple]:
        return map(Triple, *self.columns())

    def columns(self) -> tuple[Iterator[NamedNode | BlankNode], Iterator[NamedNode], Iterator[Term]]:
        """The subjects, the predicates and the objects of all triples, in their order.

        `map(Quad, *graph.columns())` is several times faster than a loop over triples.
        """
        s, p, o = (_mapped(self.table.terms.__getitem__, keys) for keys in self.table.columns(self._removed()))
        added = [keys for keys, is_added in self._changes.items() if is_added]
        if not added:
            return s, p, o
        new_s, new_p, new_o = (_mapped(self.term, keys) for keys in zip(*added, strict=True))
        return chain(s, new_s), chain(p, new_p), chain(o, new_o)

    def _removed(self) -> list[Row]:
        return [keys for keys, added in self._changes.items() if not added]  # type: ignore[misc]  # the table had them

    def __eq__(self, other: object) -> bool:
        """The same triples, blank nodes by label. For equality up to renaming see `kgprobe.graph.canonical`."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self.table is other.table:
            return self._changes == other._changes
        return len(self) == len(other) and all(triple in other for triple in self)

    __hash__ = None  # type: ignore[assignment]  # a graph can change

    def __repr__(self) -> str:
        return f"<Graph of {len(self)} triples>"

    def triples(
        self, subject: Term | None = None, predicate: Term | None = None, object_: Term | None = None
    ) -> Iterator[Triple]:
        """The triples with these parts; None stands for anything."""
        s, p, o = (None if part is None else self.key(part) for part in (subject, predicate, object_))
        return map(self.triple, self.rows(s, p, o))

    def mentions(self, term: Term) -> bool:
        """Whether any triple here has this term."""
        key = self.key(term)
        if not isinstance(key, int):  # only a triple that was added can have it
            parts = self._changes.parts
            return key in parts(_S) or key in parts(_O) or key in parts(_P)
        return any(self.count(*(key if i == place else None for i in range(3))) for place in (_S, _P, _O))

    def terms(self) -> Iterator[Term]:
        """Each term of this graph once, in order of appearance."""
        return map(self.term, dict.fromkeys(chain.from_iterable(self.rows())))

    # -- changing it ---------------------------------------------------------------------------------------------

    def add(self, triple: Triple) -> bool:
        """Add a triple; False if it was there already."""
        keys = self.keys(triple)
        if self.has(*keys):
            return False
        self.flip(keys)
        return True

    def remove(self, triple: Triple) -> bool:
        """Remove a triple; False if it was not there."""
        keys = self.keys(triple)
        if not self.has(*keys):
            return False
        self.flip(keys)
        return True

    def flip(self, keys: KeyTriple) -> None:
        """Remove the triple with these keys if it is here, else add it."""
        self._changes.flip(keys, not self._in_table(keys))
        self._findings.clear()

    def change(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Remove triples that are here, and add triples that are not, by their keys. The caller knows that it is so."""
        self._changes.note(removed, added)
        self._findings.clear()

    def settle(self) -> None:
        """Let go of what only speeds up the next change: for graphs of which many are kept."""
        self._changes.settle()
        self._findings.clear()

    def apply(self, delta: Delta) -> None:
        """Make the change. ValueError, and nothing is changed, if the delta does not fit this graph exactly."""
        resolved = self._resolve(delta)
        self._switch(resolved.into, resolved.out_of)

    def revert(self, delta: Delta) -> None:
        """Take the change back: the graph is what it was before `apply`."""
        resolved = self._resolve(delta)
        self._switch(resolved.out_of, resolved.into)

    def fitted(self, delta: Delta) -> Delta:
        """The part of the delta that would change something here: what can be removed, and what is missing."""
        return Delta(
            removed=[triple for triple in delta.removed if triple in self],
            added=[triple for triple in delta.added if triple not in self],
        )

    def changes(self) -> Delta:
        """All that was changed since this graph was loaded."""
        parts: dict[bool, list[Triple]] = {True: [], False: []}
        for keys, added in self._changes.items():
            parts[added].append(self.triple(keys))
        return Delta(removed=parts[False], added=parts[True])

    @property
    def changed_keys(self) -> Mapping[KeyTriple, bool]:
        """The triples in which this graph differs from its table, by their keys, and whether each was added.

        This is no copy: look, and use `change` or `apply` to change something.
        """
        return self._changes

    def found(self, find: Callable[[Graph], _T]) -> _T:
        """What this function finds out about the graph; it is asked again only when the graph has changed."""
        if find not in self._findings:
            self._findings[find] = find(self)
        known: _T = self._findings[find]
        return known

    def _switch(self, into: dict[KeyTriple, bool], out_of: dict[KeyTriple, bool]) -> None:
        changed = self._changes.keys()
        if not (changed.isdisjoint(into) and changed >= out_of.keys()):
            culprit = next(keys for keys in chain(into, out_of) if (keys in changed) is (keys in into))
            verb = "has" if self.has(*culprit) else "lacks"
            raise ValueError(f"this change does not fit the graph, which {verb} {self.triple(culprit)}")
        self._changes.switch(into, out_of)
        self._findings.clear()

    def _resolve(self, delta: Delta) -> _Resolution:
        """Look up the triples of a delta; the delta remembers it for the next time."""
        for known in delta.resolution:
            if isinstance(known, _Resolution) and known.table is self.table:
                return known
        resolved = _Resolution(self.table, {}, {})
        for keys in map(self.keys, delta.removed):
            in_table = self._in_table(keys)
            (resolved.into if in_table else resolved.out_of)[keys] = not in_table
        for keys in map(self.keys, delta.added):
            in_table = self._in_table(keys)
            (resolved.out_of if in_table else resolved.into)[keys] = not in_table
        delta.resolution[:] = [resolved]
        return resolved

    # -- keys: how pattern matching sees a graph -----------------------------------------------------------------

    def key(self, term: Term) -> Key:
        """The key of a term, whether or not this graph has it."""
        return self.table.numbers.get(term, term)

    def term(self, key: Key) -> Term:
        """The term of a key."""
        return self.table.terms[key] if type(key) is int else key  # type: ignore[return-value]  # mypy takes int for more

    def keys(self, triple: Triple) -> KeyTriple:
        """The keys of a triple's parts."""
        get = self.table.numbers.get
        s, p, o = _parts(triple)
        return get(s, s), get(p, p), get(o, o)

    def triple(self, keys: KeyTriple) -> Triple:
        """The triple with these keys."""
        s, p, o = keys
        terms = self.table.terms
        return Triple(
            terms[s] if type(s) is int else s,  # type: ignore[arg-type]  # each place holds its kind of term
            terms[p] if type(p) is int else p,  # type: ignore[arg-type]
            terms[o] if type(o) is int else o,  # type: ignore[arg-type]
        )

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
        if self._changes and s is None and p is None and o is None:
            added = (keys for keys, is_added in self._changes.items() if is_added)
            return chain(zip(*self.table.columns(self._removed()), strict=True), list(added))
        found = self.table.rows(s, p, o)
        changes = self._changes.matching(s, p, o) if self._changes else ()
        if not changes:
            return found
        gone = {keys for keys, added in changes if not added}
        left: Iterable[KeyTriple] = (row for row in found if row not in gone) if gone else found
        return chain(left, [keys for keys, added in changes if added])

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
        """One of the triples with these keys, each as likely as any other; None if there is none."""
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

    def _in_table(self, keys: KeyTriple) -> bool:
        s, p, o = keys
        return type(s) is int and type(p) is int and type(o) is int and self.table.has(s, p, o)


def _merged(
    found: Sequence[int], changes: Mapping[KeyTriple, bool], fixed: int, key: Key, wanted: int
) -> Sequence[Key]:
    """What the table has, without what was removed and with what was added, where the place `fixed` has this key."""
    relevant = [(keys[wanted], added) for keys, added in changes.items() if keys[fixed] == key]
    if not relevant:
        return found
    removed = {part for part, added in relevant if not added}
    return [part for part in found if part not in removed] + [part for part, added in relevant if added]
