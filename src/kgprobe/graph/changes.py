"""The differences between a graph and its table: added and removed triples, indexed by each of their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from kgprobe.graph.terms import Term

__all__ = ["Changes", "Key", "KeyTriple"]

# The key of a term is its number in the graph's table; for terms that the table lacks, it is the term itself.
Key: TypeAlias = int | Term
KeyTriple: TypeAlias = tuple[Key, Key, Key]


class Changes(dict[KeyTriple, bool]):
    """The changed triples, each with True if it was added and False if it was removed."""

    # Change it only with `flip`, `switch` and `note`, which keep the index up to date.
    __slots__ = ("_index", "_unindexed")

    def __init__(self, changes: dict[KeyTriple, bool] | None = None) -> None:
        super().__init__(changes or {})
        # The changed triples by subject, by predicate and by object. The index is updated when it is used, so a change
        # that is undone before that costs next to nothing.
        self._index: tuple[dict[Key, dict[KeyTriple, bool]], ...] = ({}, {}, {})
        self._unindexed: dict[KeyTriple, bool] = dict(self)

    def flip(self, keys: KeyTriple, added: bool) -> None:
        """Record this triple as a change of this kind or, if it is recorded already, drop the record."""
        if self.pop(keys, None) is None:
            self[keys] = added
        self._unindexed[keys] = added

    def switch(self, into: dict[KeyTriple, bool], out_of: dict[KeyTriple, bool]) -> None:
        """Record all of `into`, and drop all of `out_of`. The caller ensures that only `out_of` is recorded."""
        self.update(into)
        for keys in out_of:
            del self[keys]
        self._unindexed.update(into)
        self._unindexed.update(out_of)

    def note(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Record removed and added triples. If a triple was changed the other way before, its record is dropped."""
        if self._unindexed:
            self._update_index()
        by_subject, by_predicate, by_object = self._index
        put = self.setdefault
        for triples, kind in ((removed, False), (added, True)):
            for keys in triples:
                if put(keys, kind) is not kind:
                    del self[keys]
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
        for keys, is_added in self.items():
            if is_added:
                s, p, o = keys
                # The same as the text of the triple, but faster than making a triple.
                text = f"{terms[s] if type(s) is int else s} {terms[p] if type(p) is int else p} "
                added[f"{text}{terms[o] if type(o) is int else o}"] = keys
        for text in sorted(added):
            keys = added[text]
            del self[keys]
            self[keys] = True  # moves it to the end
        self._index = ({}, {}, {})
        self._unindexed = self.copy()

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
            found = self.touching(2, o)
            if found is None:
                return ()
            if s is not None or p is not None:
                return [e for e in found.items() if (p is None or e[0][1] == p) and (s is None or e[0][0] == s)]
        elif s is not None:
            found = self.touching(0, s)
            if found is None:
                return ()
            if p is not None:
                return [entry for entry in found.items() if entry[0][1] == p]
        else:
            found = self if p is None else self.touching(1, p)
        return found.items() if found else ()

    def added(self, s: Key | None, p: Key | None, o: Key | None) -> list[KeyTriple]:
        """The added triples with these keys; None stands for any."""
        return [keys for keys, added in self.matching(s, p, o) if added]

    def _update_index(self) -> None:
        by_subject, by_predicate, by_object = self._index
        for keys in self._unindexed:
            added = self.get(keys)
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
