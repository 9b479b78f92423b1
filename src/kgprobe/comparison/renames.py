"""Renamed entities: both versions make the same statements about them, except for the name itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import cast

import numpy as np

from kgprobe.comparison.model import ASPECTS, Aspect, Kind
from kgprobe.owl.wording import obo_id
from kgprobe.rdf.rows import Numbers
from kgprobe.rdf.terms import RDF, Literal, NamedNode, Term

# An entity without a label is recognised only if this many statements agree, not counting types.
_ENOUGH = 2
# A round can find entities that differ only in names that the previous round matched.
_MOST_ROUNDS = 20
_ITSELF, _SOME_OTHER = -1, -2
_LOCAL_NAME = re.compile(r"[^/#:]+$")


def renames(
    terms: Sequence[Term], old: tuple[Mapping[int, Kind], Numbers], new: tuple[Mapping[int, Kind], Numbers]
) -> dict[int, tuple[int, str]]:
    """For removed entities, the added ones that are the same, and how they were recognised.

    Each side has the entities that only this version has, with their kinds, and the rows that only this version has.
    """
    found: dict[int, tuple[int, str]] = {}
    if not old[0] or not new[0]:
        return found
    shared = set(old[0].values()) & set(new[0].values())
    before, after = (
        _Said(terms, {n: kind for n, kind in kinds.items() if kind in shared}, rows) for kinds, rows in (old, new)
    )
    for _ in range(_MOST_ROUNDS):
        why, pairs = _recognised(before, after)
        if not pairs:
            break
        for one, other in pairs.items():
            found[one] = other, why
            before.name(one, other)
            after.name(other, other)
    return found


def spells(literal: Term, name: Term) -> bool:
    """Whether a literal only repeats the name, as in oboInOwl:id."""
    return type(literal) is Literal and type(name) is NamedNode and literal.value in (name.value, obo_id(name))


def _recognised(before: _Said, after: _Said) -> tuple[str, dict[int, int]]:
    """The entities that are recognised as the same, and the best reason."""
    if pairs := _only_pairs(before.contents(after.sizes()), after.contents(before.sizes())):
        return "equal content", pairs
    pairs = _only_pairs(before.labels(), after.labels())
    if pairs := {one: other for one, other in pairs.items() if before.may_be(one, after, other)}:
        return "same label", pairs
    pairs = _only_pairs(before.local_names(), after.local_names())
    return "same local name", {one: other for one, other in pairs.items() if before.may_be(one, after, other)}


def _only_pairs(old: Mapping[int, Hashable], new: Mapping[int, Hashable]) -> dict[int, int]:
    """The pairs of entities that share a key with each other and with no other entity."""
    by_key: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, keys in enumerate((old, new)):
        for number, key in keys.items():
            by_key[key][side].append(number)
    return {ones[0]: others[0] for ones, others in by_key.values() if len(ones) == len(others) == 1}


class _Said:
    """The statements of one version about the entities that only it has and that are not yet recognised."""

    def __init__(self, terms: Sequence[Term], kinds: Mapping[int, Kind], rows: Numbers) -> None:
        self._terms = terms
        self._kinds = dict(kinds)
        self._names: dict[int, int] = {}
        self._rows: dict[int, list[tuple[bool, int, int]]] = {number: [] for number in kinds}
        is_candidate = np.zeros(len(terms), dtype=bool)
        is_candidate[list(kinds)] = True
        for s, p, o in rows[is_candidate[rows[:, 0]] | is_candidate[rows[:, 2]]].tolist():
            if s in kinds:
                self._rows[s].append((True, p, o))
            if o in kinds and o != s:
                self._rows[o].append((False, p, s))
        predicates = {p for own in self._rows.values() for _, p, _ in own}
        self._aspects = {p: ASPECTS.get(cast(NamedNode, terms[p])) for p in predicates}
        self._type = next((p for p in predicates if terms[p] == RDF.type), None)

    def name(self, number: int, name: int) -> None:
        """The entity is recognised: from now on, both versions use this name for it."""
        del self._kinds[number]
        self._names[number] = name

    def sizes(self) -> set[int]:
        """The numbers of statements about entities."""
        return {len(self._rows[number]) for number in self._kinds}

    def contents(self, sizes: Collection[int]) -> dict[int, Hashable]:
        """All statements about each entity, if they suffice to recognise it and their number is one of these sizes."""
        chosen = [number for number in self._kinds if len(self._rows[number]) in sizes]
        return {number: self._content(number) for number in chosen if self._is_enough(number)}

    def labels(self) -> dict[int, Hashable]:
        """The kind and the labels of each entity that has labels."""
        found = {number: self._texts(number, Aspect.LABEL) for number in self._kinds}
        return {number: (self._kinds[number], texts) for number, texts in found.items() if texts}

    def local_names(self) -> dict[int, Hashable]:
        """The kind and the last part of the name of each entity."""
        found = {n: _LOCAL_NAME.search(self._terms[n].value) for n in self._kinds}
        return {number: (self._kinds[number], name[0]) for number, name in found.items() if name}

    def may_be(self, number: int, others: _Said, other: int) -> bool:
        """Whether the labels and definitions of two entities are compatible."""
        for aspect in (Aspect.LABEL, Aspect.DEFINITION):
            one, another = self._texts(number, aspect), others._texts(other, aspect)
            if one and another and one != another:
                return False
        return True

    def _content(self, number: int) -> Hashable:
        return frozenset((out, p, self._known_as(other, number)) for out, p, other in self._rows[number])

    def _known_as(self, number: int, subject: int) -> int:
        if number == subject or spells(self._terms[number], self._terms[subject]):
            return _ITSELF
        return self._names.get(number, _SOME_OTHER if number in self._kinds else number)

    def _is_enough(self, number: int) -> bool:
        if self._texts(number, Aspect.LABEL) or self._texts(number, Aspect.DEFINITION):
            return True
        return sum(p != self._type for _, p, _ in self._rows[number]) >= _ENOUGH

    def _texts(self, number: int, aspect: Aspect) -> frozenset[int]:
        return frozenset(o for out, p, o in self._rows[number] if out and self._aspects[p] is aspect)
