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
from itertools import islice
from typing import TypeAlias

import numpy as np

from kgprobe.mining.expansion import Numbers
from kgprobe.mining.findings import Atom, Finding, Head, InSet, Link
from kgprobe.mining.index import Index

# So many bindings of a body are tried to find examples of a rule with little confidence.
_MOST_TRIES = 10_000


def first_matches(index: Index, finding: Finding, number: int) -> list[dict[int, int]]:
    """The first matches of body and head, by variable. Each has other values of the head's variables."""
    head = finding.head
    found: dict[tuple[int, ...], dict[int, int]] = {}
    for match in islice(_body_matches(index, finding.body), _MOST_TRIES):
        if isinstance(head, Link):
            key: tuple[int, ...] = (match[head.x], match[head.y])
            holds = index.has(head.relation, *key)
        else:
            key = (match[0],)
            holds = _is_member(index, head.set, match[0])
        if holds and key not in found:
            found[key] = match
            if len(found) == number:
                break
    return list(found.values())


def _body_matches(index: Index, body: tuple[Atom, ...]) -> Iterator[dict[int, int]]:
    """The matches of a body, one after the other."""
    first, *rest = sorted(body, key=lambda atom: _size(index, atom))
    for match in _matches(index, first, {}):
        if rest:
            yield from _matches(index, rest[0], match)
        else:
            yield match


def _size(index: Index, atom: Atom) -> int:
    return len(index.relations[atom.relation]) if isinstance(atom, Link) else int(index.sets.sizes[atom.set])


def _matches(index: Index, atom: Atom, known: dict[int, int]) -> Iterator[dict[int, int]]:
    """The matches of an atom that agree with the known values."""
    if isinstance(atom, Link):
        return _link_matches(index, atom, known)
    if atom.variable not in known:
        return ({**known, atom.variable: value} for value in index.sets.members[atom.set].tolist())
    return iter([known] if _is_member(index, atom.set, known[atom.variable]) else [])


def _link_matches(index: Index, atom: Link, known: dict[int, int]) -> Iterator[dict[int, int]]:
    relation, x, y = atom.relation, atom.x, atom.y
    if x not in known and y in known:
        relation, x, y = relation ^ 1, y, x
    pairs = index.relations[relation]
    if x not in known:
        for one, other in zip(pairs.x.tolist(), pairs.y.tolist(), strict=True):
            yield {**known, x: one, y: other}
    elif y not in known:
        for other in pairs.of_node(known[x]).tolist():
            yield {**known, y: other}
    elif index.has(relation, known[x], known[y]):
        yield known


def _is_member(index: Index, set_: int, node: int) -> bool:
    members = index.sets.members[set_]
    place = int(np.searchsorted(members, node))
    return place < len(members) and int(members[place]) == node


def only_values(index: Index, body: tuple[Atom, ...]) -> dict[int, int]:
    """The variables that have the same value in all matches of a body, with this value."""
    match body:
        case (Link() as link, InSet() as member):  # searches put the link first
            return _only(_table_of_members(index, link, member))
    tables = [_table(index, atom) for atom in body]
    if len(tables) == 2:
        one, other = tables
        common = sorted(one.keys() & other.keys())
        if len(common) == 2:
            shared = np.intersect1d(_codes(index, one, common), _codes(index, other, common))
            tables = [dict(zip(common, np.divmod(shared, index.nodes), strict=True))]
        elif common:  # each row of the one table whose value is in the other is part of a match
            [variable] = common
            kept = [np.isin(table[variable], rest[variable]) for table, rest in ((one, other), (other, one))]
            tables = [
                {name: column[rows] for name, column in table.items()} for table, rows in zip(tables, kept, strict=True)
            ]
    return {variable: value for table in tables for variable, value in _only(table).items()}


def _only(table: dict[int, Numbers]) -> dict[int, int]:
    """The columns with one value only, with this value."""
    return {
        variable: int(column[0])
        for variable, column in table.items()
        if len(column) and bool((column == column[0]).all())
    }


def _table_of_members(index: Index, link: Link, member: InSet) -> dict[int, Numbers]:
    """The matches of a link whose one end is a member of a set."""
    starts_here = link.x == member.variable
    relation = index.relations[link.relation if starts_here else link.relation ^ 1]
    members = index.sets.members[member.set]
    values, place = relation.expanded(members)
    return {member.variable: members[place], link.y if starts_here else link.x: values}


def _table(index: Index, atom: Atom) -> dict[int, Numbers]:
    """The matches of an atom, as columns."""
    if isinstance(atom, InSet):
        return {atom.variable: index.sets.members[atom.set]}
    return {atom.x: index.relations[atom.relation].x, atom.y: index.relations[atom.relation].y}


def _codes(index: Index, table: dict[int, Numbers], variables: list[int]) -> Numbers:
    one, other = variables
    return table[one] * index.nodes + table[other]


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
