"""Two versions of a graph: the rows that only one of them has, and the entities that these rows are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TypeAlias, cast

import numpy as np

from kgprobe.comparison.kinds import KINDS, KindFinder
from kgprobe.comparison.model import Entity, Kind
from kgprobe.comparison.renames import renames, spells
from kgprobe.comparison.statements import Statements
from kgprobe.graph.diff import changed_rows
from kgprobe.graph.graph import Graph
from kgprobe.graph.rows import Numbers, only_in_one
from kgprobe.graph.terms import NamedNode

__all__ = ["TwoVersions"]

# Rows that only the old, and rows that only the new version has.
_Rows: TypeAlias = tuple[Numbers, Numbers]


class TwoVersions:
    """What only one version has. An entity that has another name now goes by its new name."""

    def __init__(self, old: Graph, new: Graph, *, follow_renames: bool = True) -> None:
        changed = changed_rows(old, new)
        self.graphs = old, new
        self.finders = KindFinder(old), KindFinder(new)
        self.terms = changed.terms
        self.is_blank = changed.is_blank
        self.ground: _Rows = changed.removed, changed.added
        self.blank: _Rows = changed.gone, changed.come
        self.triples = len(changed.removed) + len(changed.gone), len(changed.added) + len(changed.come)
        self.statements = Statements(self.terms, *self.ground, self._is_fact)
        self.only: tuple[dict[int, Kind], dict[int, Kind]] = {}, {}  # the entities of only one version
        self._kinds: dict[int, Kind] = {}  # of those that are not declared in both
        self._codes = self._declared(changed.of_tables)
        self._find_entities(self.statements.names())
        self.renames = renames(self.terms, *zip(self.only, self.ground, strict=True)) if follow_renames else {}
        if self.renames:
            self._follow_renames()

    def entity(self, number: int) -> Entity:
        """The entity with this number."""
        return Entity(cast(NamedNode, self.terms[number]), self.kind(number))

    def kind(self, number: int) -> Kind:
        """What a number is the name of, in the new version if that has it."""
        if number not in self._kinds:
            term, code = cast(NamedNode, self.terms[number]), int(self._codes[1][number])
            found = KINDS[code] if code >= 0 else self.finders[1].kind(term) or self.finders[0].kind(term)
            self._kinds[number] = found or Kind.OTHER
        return self._kinds[number]

    def kind_counts(self, numbers: Numbers) -> Counter[Kind]:
        """How many of these are what."""
        codes = self._codes[1][numbers]
        counts = Counter({KINDS[code]: count for code, count in Counter(codes[codes >= 0].tolist()).items()})
        counts.update(map(self.kind, numbers[codes < 0].tolist()))
        return counts

    def _declared(self, of_tables: tuple[Numbers, Numbers] | None) -> tuple[Numbers, Numbers]:
        """For each number the place in `KINDS` of what the old and the new version declare it as; -1 if they do not."""
        found = []
        for side, (finder, graph) in enumerate(zip(self.finders, self.graphs, strict=True)):
            if of_tables is not None and not graph.changed_keys:
                found.append(finder.declared_codes(of_tables[side], len(self.terms)))
                continue
            codes = np.full(len(self.terms), -1, dtype=np.int8)
            for number in self.statements.names().tolist():
                kind = finder.declared(self.terms[number])
                codes[number] = -1 if kind is None else KINDS.index(kind)
            found.append(codes)
        return found[0], found[1]

    def _is_fact(self, predicate: NamedNode) -> bool:
        return any(finder.is_fact(predicate) for finder in self.finders)

    def _find_entities(self, numbers: Numbers) -> None:
        """Which of these names are entities of only one version."""
        old, new = (codes[numbers] for codes in self._codes)
        for number in numbers[(old < 0) | (new < 0)].tolist():
            term = cast(NamedNode, self.terms[number])
            kinds = [
                KINDS[codes[number]] if codes[number] >= 0 else finder.kind(term)
                for codes, finder in zip(self._codes, self.finders, strict=True)
            ]
            before, after = kinds
            if before is None and after is not None:
                self.only[1][number] = after
            elif after is None and before is not None:
                self.only[0][number] = before
            self._kinds[number] = after or before or Kind.OTHER

    def _follow_renames(self) -> None:
        """Calls what has another name now by its new name, and forgets what is no change then."""
        names = {before: after for before, (after, _) in self.renames.items()}
        numbers = np.arange(len(self.terms))
        numbers[list(names)] = list(names.values())
        removed, added = numbers[self.ground[0]], self.ground[1]
        # A literal that says nothing but the name is renamed, too.
        spelled = {(s, p): o for _, s, p, o in self._own_names(added, set(names.values()))}
        for place, s, p, _ in list(self._own_names(self.ground[0], names.keys())):
            removed[place, 2] = spelled.get((names[s], p), removed[place, 2])
        self.ground = only_in_one(removed, added)
        self.blank = numbers[self.blank[0]], self.blank[1]
        for before, after in names.items():
            del self.only[0][before], self.only[1][after]
        self.statements = Statements(self.terms, *self.ground, self._is_fact)

    def _own_names(self, rows: Numbers, subjects: Collection[int]) -> Iterator[tuple[int, int, int, int]]:
        """The places of rows, and the rows, whose objects are literals that spell the subject."""
        places = np.flatnonzero(np.isin(rows[:, 0], list(subjects)))
        for place, (s, p, o) in zip(places.tolist(), rows[places].tolist(), strict=True):
            if spells(self.terms[o], self.terms[s]):
                yield place, s, p, o
