"""What a graph differs in from its table: which triples were added and removed, found by any of their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from kgprobe.graph.terms import Term

__all__ = ["Changes", "Key", "KeyTriple"]

# A term that the graph's table knows is its number there; any other term is itself.
Key: TypeAlias = int | Term
KeyTriple: TypeAlias = tuple[Key, Key, Key]


class Changes(dict[KeyTriple, bool]):
    """The triples that were changed, and for each whether it was added (else it was removed)."""

    # Change them only by `flip`, `switch` and `note`, which keep the index in step.
    __slots__ = ("_index", "_unindexed")

    def __init__(self, changes: dict[KeyTriple, bool] | None = None) -> None:
        super().__init__(changes or {})
        # The changed triples by subject, by predicate and by object. It is brought up to date when it is used: a
        # change that is undone before that costs next to nothing.
        self._index: tuple[dict[Key, dict[KeyTriple, bool]], ...] = ({}, {}, {})
        self._unindexed: dict[KeyTriple, bool] = dict(self)

    def flip(self, keys: KeyTriple, added: bool) -> None:
        """Make this triple a change of this kind or, if it is one already, no change any more."""
        if self.pop(keys, None) is None:
            self[keys] = added
        self._unindexed[keys] = added

    def switch(self, into: dict[KeyTriple, bool], out_of: dict[KeyTriple, bool]) -> None:
        """Make all of `into` changes, and all of `out_of` no changes any more. The caller knows that this fits."""
        self.update(into)
        for keys in out_of:
            del self[keys]
        self._unindexed.update(into)
        self._unindexed.update(out_of)

    def note(self, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """Triples that were there are gone, others have come. What was changed the other way before is as it was."""
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
                # Whoever makes changes in this way looks at the graph between them.
                s, p, o = keys
                by_subject.setdefault(s, {})[keys] = kind
                by_predicate.setdefault(p, {})[keys] = kind
                by_object.setdefault(o, {})[keys] = kind

    def settle(self, terms: Sequence[Term]) -> None:
        """Put what was removed first, then what was added in the order of its text; `terms` are those with numbers.

        Let the index go, too, which takes more memory than the changes; it is made again when somebody looks.
        """
        added = {}
        for keys, is_added in self.items():
            if is_added:
                s, p, o = keys
                # As the text of a triple, but for the time that it takes to make one.
                text = f"{terms[s] if type(s) is int else s} {terms[p] if type(p) is int else p} "
                added[f"{text}{terms[o] if type(o) is int else o}"] = keys
        for text in sorted(added):
            keys = added[text]
            del self[keys]
            self[keys] = True  # at the end
        self._index = ({}, {}, {})
        self._unindexed = self.copy()

    def touching(self, place: int, key: Key) -> dict[KeyTriple, bool] | None:
        """The changed triples with this key as subject (place 0), predicate (1) or object (2); None: none."""
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
        # The candidates by object are mostly fewer than those by subject, and never more than those by predicate.
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
        """The triples with these keys that were added; None stands for any."""
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
