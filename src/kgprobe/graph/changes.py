"""What a graph differs in from its table: which triples were added and removed, found by any of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kgprobe.graph.terms import Term

__all__ = ["Changes", "Key", "KeyTriple"]

# A term that the graph's table knows is its number there; any other term is itself.
Key: TypeAlias = int | Term
KeyTriple: TypeAlias = tuple[Key, Key, Key]


class Changes(dict[KeyTriple, bool]):
    """The triples that were changed, and for each whether it was added (else it was removed)."""

    # Change them only by `flip` and `switch`, which keep the index in step.
    __slots__ = ("_index", "_unindexed")

    def __init__(self, changes: dict[KeyTriple, bool] | None = None) -> None:
        super().__init__(changes or {})
        # The changed triples by subject, by predicate and by object. It is brought up to date when somebody looks: a
        # change that is taken back before anybody did costs next to nothing.
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

    def touching(self, place: int, key: Key) -> dict[KeyTriple, bool] | None:
        """The changed triples with this key as subject (place 0), predicate (1) or object (2); None: none."""
        if self._unindexed:
            self._update_index()
        return self._index[place].get(key)

    def matching(self, s: Key | None, p: Key | None, o: Key | None) -> Iterator[tuple[KeyTriple, bool]]:
        """The changed triples with these keys; None stands for any."""
        place, key = next(((i, k) for i, k in ((0, s), (2, o), (1, p)) if k is not None), (0, None))
        candidates = self if key is None else self.touching(place, key) or {}
        for keys, added in candidates.items():
            if (p is None or keys[1] == p) and (o is None or keys[2] == o) and (s is None or keys[0] == s):
                yield keys, added

    def _update_index(self) -> None:
        for keys in self._unindexed:
            added = self.get(keys)
            for index, key in zip(self._index, keys, strict=True):
                if added is not None:
                    index.setdefault(key, {})[keys] = added
                elif entry := index.get(key):
                    entry.pop(keys, None)
                    if not entry:
                        del index[key]
        self._unindexed.clear()
