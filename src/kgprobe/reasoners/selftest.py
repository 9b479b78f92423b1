"""Counts the cases of the table that a reasoner answers correctly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from kgprobe.reasoners.cases import Case, all_cases
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Score", "score"]


@dataclass(frozen=True, slots=True)
class Score:
    """The cases by outcome. A wrong answer with a reservation is wrong, but not misleading."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    undecided: tuple[str, ...]
    misleading: tuple[str, ...]
    seconds: float

    @property
    def total(self) -> int:
        return len(self.right) + len(self.wrong) + len(self.undecided)


def score(reasoner: Reasoner, cases: Sequence[Case] | None = None) -> Score:
    """Run the cases (all of them, unless some are given) in one batch."""
    tried = all_cases() if cases is None else cases
    start = time.perf_counter()
    answers = [given[0] for given in reasoner.answer_many([(case.ontology, [case.task]) for case in tried])]
    seconds = time.perf_counter() - start
    judged = list(zip(tried, answers, strict=True))
    wrong = [(case, answer) for case, answer in judged if answer.value is not None and answer.value != case.expected]
    return Score(
        right=tuple(case.name for case, answer in judged if answer.value == case.expected),
        wrong=tuple(case.name for case, _ in wrong),
        undecided=tuple(case.name for case, answer in judged if answer.value is None),
        misleading=tuple(case.name for case, answer in wrong if answer.complete),
        seconds=seconds,
    )
