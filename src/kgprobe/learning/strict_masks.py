"""Learned masks without their exceptions.

A learned mask excludes no passing case. So a shape can have exceptions, which describe single passing cases. What they
say about other graphs is little more than a guess. If such a guess lets failing mutants in, a mask without it is
better, though it excludes a few graphs on which the software would pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.conditions import Clause
from kgprobe.masks.learning.learning import LearnedMask, LearnedShape
from kgprobe.masks.learning.shacl_text import clause_in_words, clause_text, kind_of
from kgprobe.masks.learning.statistics import fisher

__all__ = ["without_exceptions"]

_MOST_OF_PASSING = 1 / 3  # a condition that excludes more of them is not what the failures are about


def without_exceptions(mask: LearnedMask, cases: Sequence[JudgedGraph]) -> LearnedMask:
    """The mask, with the first condition only of each shape, where that excludes few passing cases.

    `cases` are those that it was learned from.
    """
    shapes = tuple(_stricter(shape, mask, cases) for shape in mask.shapes)
    excluded = {name for shape in shapes for name in (*shape.explains, *shape.excludes)}
    right = sum((case.name in excluded) is case.failed for case in cases)
    unexplained = tuple(case.name for case in cases if case.failed and case.name not in excluded)
    return replace(mask, shapes=shapes, unexplained=unexplained, accuracy=right / len(cases))


def _stricter(shape: LearnedShape, mask: LearnedMask, cases: Sequence[JudgedGraph]) -> LearnedShape:
    if not shape.clause.alternatives:
        return shape
    clause = Clause(shape.clause.condition)
    violating = [case for case in cases if not clause.holds(case.graph())]
    explains = tuple(case.name for case in violating if case.failed)
    excludes = tuple(case.name for case in violating if not case.failed)
    if len(excludes) > _MOST_OF_PASSING * mask.passing or len(excludes) >= len(explains):
        return shape
    spelling = cases[0].seed.spelling
    return replace(
        shape,
        kind=kind_of(clause),
        words=clause_in_words(clause, spelling),
        explains=explains,
        excludes=excludes,
        p=fisher(len(explains), len(violating), mask.failing, mask.cases),
        clause=clause,
        turtle=clause_text(clause, shape.name, dict(mask.prefixes)),
    )
