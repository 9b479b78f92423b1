"""Rules that say nothing: whose head is one of the body's atoms in disguise.

Some variables can have one value only: in all matches of the body, the value is the same. With these values in place
of the variables, the head of such a rule is a body atom. The same holds through a functional predicate: if a body atom
and the head have the same subject, then wherever both hold, they have the same object, so that they are one triple.
In the same way for objects, if no object has two subjects.

That the head follows from a part of the body as well is found where rules are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.mining.findings import Finding, Head, InSet, Link
from kgprobe.mining.index import Index
from kgprobe.mining.matches import only_values

__all__ = ["Disguise"]

# A variable, or the number of a node.
_Part: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class _Atom:
    predicate: int
    subject: _Part
    object: _Part


class Disguise:
    """Recognises heads of one finding that are a body atom in disguise. The body's items are given, too."""

    def __init__(self, index: Index, finding: Finding) -> None:
        self._index = index
        self._finding = finding
        self._values: dict[int, int] | None = None

    def hides(self, body_items: tuple[int | None, ...], head_item: int | None) -> bool:
        """Whether the head is one of the atoms. An item fills in the constant of an atom with one variable."""
        head = self._atom(self._finding.head, head_item)
        for part, item in zip(self._finding.body, body_items, strict=True):
            atom = self._atom(part, item)
            if atom.predicate == head.predicate and self._is_same(atom, head):
                return True
        return False

    def can_hide(self) -> bool:
        """Whether the head and a body atom have the same predicate."""
        predicates = set(self._predicates(self._finding.head))
        return any(predicates.intersection(self._predicates(part)) for part in self._finding.body)

    def _predicates(self, part: Link | InSet | Head) -> Iterator[int]:
        if isinstance(part, InSet):
            sets = self._index.sets
            yield from (sets.relation[sets.items[part.set]] // 2).tolist()
        else:
            yield part.relation // 2

    def _is_same(self, atom: _Atom, head: _Atom) -> bool:
        subjects = self._are_equal(atom.subject, head.subject)
        objects = self._are_equal(atom.object, head.object)
        if subjects and objects:
            return True
        forward, backward = self._index.relations[2 * head.predicate], self._index.relations[2 * head.predicate + 1]
        return (subjects and forward.is_functional) or (objects and backward.is_functional)

    def _are_equal(self, one: _Part, other: _Part) -> bool:
        if one == other:
            return True
        return "variable" in (one[0], other[0]) and self._replaced(one) == self._replaced(other)

    def _replaced(self, part: _Part) -> _Part:
        kind, number = part
        if kind == "node":
            return part
        if self._values is None:
            self._values = only_values(self._index, self._finding.body)
        return ("node", self._values[number]) if number in self._values else part

    def _atom(self, part: Link | InSet | Head, item: int | None) -> _Atom:
        ends: tuple[_Part, _Part]
        if isinstance(part, Link):
            relation, ends = part.relation, (("variable", part.x), ("variable", part.y))
        else:
            assert item is not None  # noqa: S101 - sets have items
            relation, constant = self._index.sets.pairs_of_items[item]
            ends = (("variable", part.variable if isinstance(part, InSet) else 0), ("node", constant))
        subject, object_ = ends if relation % 2 == 0 else ends[::-1]
        return _Atom(relation // 2, subject, object_)
