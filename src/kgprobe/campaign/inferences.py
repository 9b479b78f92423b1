"""The answers to questions in a store: for each case and system, what was right, wrong or undecided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kgprobe.campaign.sources import QUESTIONS
from kgprobe.campaign.store import Store
from kgprobe.errors import InputError, Position
from kgprobe.oracles.inference import Answered, answered_in
from kgprobe.questions.cases import QuestionCase, case_of_value

__all__ = ["AnsweredCase", "Standing", "SystemAnswers", "answered_cases", "check_questions"]


class Standing(StrEnum):
    """How a system stands on a case. `UNTESTED`: it did not get all premises right, or there was no answer."""

    UNTESTED = "untested"
    RIGHT = "right"
    UNDECIDED = "undecided"
    BUG = "bug"


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """The answers of one system, in the order of the questions. It has conclusions only if all premises were right."""

    premises: tuple[Answered, ...]
    conclusions: tuple[Answered, ...]

    @property
    def standing(self) -> Standing:
        """The worst of its conclusions."""
        given = [each for each in self.conclusions if each.result != "failed"]
        if not given:
            return Standing.UNTESTED
        results = {each.result for each in given}
        return Standing.BUG if "wrong" in results else Standing.UNDECIDED if "undecided" in results else Standing.RIGHT


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case that has run, and the answers of each system that was asked."""

    number: int
    case: QuestionCase
    systems: Mapping[str, SystemAnswers]

    @property
    def is_tested(self) -> bool:
        """Whether a system knew all premises, and so was asked for the conclusions."""
        return any(each.standing is not Standing.UNTESTED for each in self.systems.values())


def check_questions(store: Store) -> None:
    """InputError if the cases of a store are not questions."""
    if store.source_kind != QUESTIONS:
        message = f"holds no questions, but {store.source_kind or 'nothing'}"
        raise InputError(message, where=Position(str(store.path)), hint="'kgprobe show' shows its findings")


def answered_cases(store: Store) -> Iterator[AnsweredCase]:
    """All cases that have run, in their order."""
    check_questions(store)
    for planned, _, details in store.details():
        with store.reading():
            case = case_of_value(planned.recipe)
            answers = {name: _answers(value, case) for name, value in details["systems"].items()}
        yield AnsweredCase(planned.number, case, answers)


def _answers(value: Mapping[str, list[object]], case: QuestionCase) -> SystemAnswers:
    premises, conclusions = (tuple(map(answered_in, value[key])) for key in ("premises", "conclusions"))
    if len(premises) != len(case.antecedents) or len(conclusions) not in (0, len(case.consequences)):
        raise ValueError("a case has other questions than its answers")
    return SystemAnswers(premises, conclusions)
