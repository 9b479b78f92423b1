"""Asks a function in this process, without a campaign: for tests of a program that is written in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, Input, Observation, Prompt, Status, Verdict
from kgprobe.oracles.inference import InferenceOracle
from kgprobe.oracles.protocol import Observed, judged, needed
from kgprobe.questions.cases import QuestionCase

__all__ = ["JudgedCase", "ask_all"]


@dataclass(frozen=True)
class JudgedCase:
    """A case, and the verdict on the answers of the function."""

    case: QuestionCase
    verdict: Verdict


def ask_all(
    cases: Iterable[QuestionCase], answer: Callable[[Prompt], str], oracle: InferenceOracle, name: str
) -> Iterator[JudgedCase]:
    """Ask a function all questions of these cases, each question once. Its errors are not caught."""
    known: dict[str, Observation] = {}

    def ask(given: Input) -> Observation:
        if not isinstance(given, Dialogue):
            raise InputError(f"a {given.kind} is not a question")
        key = given.digest()
        if key not in known:
            known[key] = Observation(name, Status.FINISHED, stdout=answer(given.prompts[0]))
        return known[key]

    for each in cases:
        case = Case(each.id, each.input)
        observed = Observed()
        while wanted := needed([oracle], case, observed, [name]):
            for given, _ in wanted:
                observed = observed.and_on(given, [ask(given)])
        yield JudgedCase(each, judged([oracle], case, observed))
