"""Matches of single rules: the first few bindings of a rule, and the values that a variable can have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from kgprobe.mining.expansion import Numbers
from kgprobe.mining.findings import Atom, Finding, InSet, Link
from kgprobe.mining.index import Index

__all__ = ["first_matches", "only_values"]

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
    found: dict[int, int] = {}
    for table in tables:
        for variable, column in table.items():
            if len(column) and bool((column == column[0]).all()):
                found[variable] = int(column[0])
    return found


def _table(index: Index, atom: Atom) -> dict[int, Numbers]:
    """The matches of an atom, as columns."""
    if isinstance(atom, InSet):
        return {atom.variable: index.sets.members[atom.set]}
    return {atom.x: index.relations[atom.relation].x, atom.y: index.relations[atom.relation].y}


def _codes(index: Index, table: dict[int, Numbers], variables: list[int]) -> Numbers:
    one, other = variables
    return table[one] * index.nodes + table[other]
