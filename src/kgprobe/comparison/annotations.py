"""Annotations of statements, which OWL keeps on blank nodes: those that only one version has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

import numpy as np

from kgprobe.comparison.model import AnnotationChange, Aspect, ValueChange
from kgprobe.graph.rows import Numbers, among, distinct, only_in_one
from kgprobe.graph.terms import OWL, RDF, NamedNode, Term

__all__ = ["ChangedAnnotations", "split_annotations"]

_PARTS = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
_STATEMENT, _ANNOTATION = slice(0, 3), slice(3, 5)


def split_annotations(terms: Sequence[Term], is_blank: Numbers, rows: Numbers) -> tuple[Numbers, Numbers]:
    """The annotations of statements among some rows, and the rows that are none.

    An annotation is a row of five: a statement, and a predicate and a value that annotate it. Only a node that
    annotates one statement without blank nodes, and with nothing but names and literals, is read.
    """
    predicates = {terms[number]: number for number in set(rows[:, 1].tolist())}
    parts = [predicates.get(part) for part in _PARTS]
    if None in parts:
        return np.zeros((0, 5), dtype=np.int64), rows
    is_read = np.ones(len(is_blank), dtype=bool)
    values = []
    for part in parts:
        stated = rows[rows[:, 1] == part]
        value = np.zeros(len(is_blank), dtype=np.int64)
        value[stated[:, 0]] = stated[:, 2]
        values.append(value)
        is_read &= np.bincount(stated[:, 0], minlength=len(is_blank)) == 1
    is_read[rows[is_blank[rows[:, 2]]][:, ::2]] = False
    of_nodes = is_read[rows[:, 0]]
    said = rows[of_nodes]
    said = said[~np.isin(said[:, 1], [*cast(list[int], parts), predicates.get(RDF.type, -1)])]
    return np.stack([*(value[said[:, 0]] for value in values), said[:, 1], said[:, 2]], axis=1), rows[~of_nodes]


class ChangedAnnotations:
    """The annotations that only one version has, of statements that both have."""

    def __init__(
        self, terms: Sequence[Term], annotations: tuple[Numbers, Numbers], statements: tuple[Numbers, Numbers]
    ) -> None:
        """From those of the old and the new version, and the statements that only the one or the other has.

        A statement that has itself changed takes its annotations along, which is no further change.
        """
        self._terms = terms
        kept = [rows[~among(rows[:, _STATEMENT], own)] for rows, own in zip(annotations, statements, strict=True)]
        # Each statement gets a number, so that an annotation is a row of three.
        both = np.concatenate(kept)
        self._statements, numbers = distinct(both[:, _STATEMENT])
        rows = np.column_stack((numbers, both[:, _ANNOTATION]))
        removed, added = only_in_one(*(distinct(part)[0] for part in (rows[: len(kept[0])], rows[len(kept[0]) :])))
        found = np.column_stack((np.concatenate((removed, added)), np.repeat([0, 1], [len(removed), len(added)])))
        self._rows = found[np.lexsort((found[:, 3], found[:, 1], found[:, 0]))]
        # Those of one statement with one predicate are one change.
        is_first = np.ones(len(found), dtype=bool)
        is_first[1:] = (self._rows[1:, :2] != self._rows[:-1, :2]).any(axis=1)
        self._starts = np.append(np.flatnonzero(is_first), len(found))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def subjects(self) -> Numbers:
        """The subjects of the statements whose annotations have changed; some are there more than once."""
        return cast(Numbers, self._statements[self._rows[self._starts[:-1], 0], 0])

    def change(self, place: int) -> AnnotationChange:
        """What was changed at one place."""
        rows = self._rows[self._starts[place] : self._starts[place + 1]].tolist()
        statement = [self._terms[number] for number in self._statements[rows[0][0]].tolist()]
        gone, come = (tuple(self._terms[row[2]] for row in rows if row[3] == side) for side in (0, 1))
        value = ValueChange(Aspect.ANNOTATION, cast(NamedNode, self._terms[rows[0][1]]), gone, come)
        return AnnotationChange(statement[0], cast(NamedNode, statement[1]), statement[2], value)

    def counts(self) -> dict[NamedNode, tuple[int, int]]:
        """How many annotations went and came, by their predicates."""
        found: dict[int, list[int]] = {}
        for side in (0, 1):
            for predicate, count in Counter(self._rows[self._rows[:, 3] == side, 1].tolist()).items():
                found.setdefault(predicate, [0, 0])[side] = count
        return {cast(NamedNode, self._terms[p]): (gone, come) for p, (gone, come) in found.items()}
