"""Judges inferences: a system that gets all premises right must get the conclusions right, too.

Each system is judged by itself. It is asked the premises first, and the conclusions only if all its answers to the
premises were right. A wrong answer to a conclusion is then a bug. An answer that decides nothing is not one, and a
request that failed is not an answer at all; both are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from kgprobe.errors import InputError, one_line
from kgprobe.model import Case, Dialogue, Failure, Inference, Input, Observation, Outcome, Prompt, Reading, Verdict
from kgprobe.oracles.protocol import ForSystems, Observed

__all__ = ["Answered", "InferenceOracle", "Reader", "answered_in", "relation_name"]

Reader: TypeAlias = Callable[[str, Prompt], Reading]
"""Finds the decision in an answer to a prompt."""

RIGHT, WRONG, UNDECIDED, FAILED = "right", "wrong", "undecided", "failed"
_SHOWN = 300
_LOCAL_NAME = re.compile(r"[^/#:]+$")


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a system to one question.

    `result` is "right", "wrong", "undecided" or "failed": no answer at all. `decision` is what the reader understood,
    such as "yes". `why` is the kind of an undecided answer, or the reason why there is none.
    """

    result: str
    decision: str = ""
    why: str = ""
    text: str = ""

    @property
    def value(self) -> list[str]:
        """For the details of a verdict, without the text."""
        return [self.result, self.decision, *([self.why] if self.why else [])]


def answered_in(value: Any) -> Answered:
    """The answer in the details of a verdict. ValueError or TypeError if it is something else."""
    result, decision, *why = value
    texts = (result, decision, *why)
    if len(texts) > 3 or result not in (RIGHT, WRONG, UNDECIDED, FAILED) or not all(isinstance(t, str) for t in texts):
        raise ValueError(f"{value!r:.60} is not an answer")
    return Answered(*texts)


def relation_name(iri: str) -> str:
    """The local name of a relation, for signatures and reports; the whole text if it has none."""
    found = _LOCAL_NAME.search(iri.strip("<>"))
    return found[0] if found else iri


@dataclass(frozen=True, slots=True)
class InferenceOracle:
    """Judges cases whose input is an `Inference`.

    With `strict`, an undecided answer to a conclusion is a bug. `statuses` are the exit statuses, or those of HTTP, of
    an answer.
    """

    read: Reader
    strict: bool = False
    statuses: Collection[int] = (0, 200, 201, 204)
    name: str = "inference"
    compares_systems: ClassVar[bool] = False

    def needs(self, case: Case, observed: Observed) -> Sequence[Input | ForSystems]:
        """The premises; then the conclusions, for the systems that got all premises right."""
        inference = _inference(case)
        conclusions = [Dialogue((prompt,)) for prompt in inference.conclusions]
        if not inference.premises:
            return conclusions
        premises = [Dialogue((prompt,)) for prompt in inference.premises]
        if not all(map(observed.has, premises)):
            return premises
        knowing = frozenset(
            name for name in _systems(observed, inference) if self._knows(name, inference.premises, observed)
        )
        return [ForSystems(conclusion, knowing) for conclusion in conclusions] if knowing else premises

    def judge(self, case: Case, observed: Observed) -> Verdict:
        """A failure for each conclusion that a system got wrong after all premises were right."""
        inference = _inference(case)
        answers = {name: self._answers(name, inference, observed) for name in _systems(observed, inference)}
        details = {"systems": {name: each.value for name, each in answers.items()}}
        failures = tuple(f for name, each in answers.items() for f in self._failures(name, inference, each))
        if failures:
            return Verdict(Outcome.FAIL, failures=failures, details=details)
        tested = {name: each for name, each in answers.items() if each.is_tested}
        if not tested:
            return Verdict(Outcome.INVALID, _reason(answers), details=details)
        unclear = [a for each in tested.values() for a in each.conclusions if a.result in (UNDECIDED, FAILED)]
        if unclear:
            return Verdict(Outcome.UNDECIDED, _unclear(unclear), details=details)
        return Verdict(Outcome.PASS, details=details)

    # -- answers -------------------------------------------------------------------------------------------------------

    def _knows(self, system: str, premises: Sequence[Prompt], observed: Observed) -> bool:
        return all(self._answer(system, premise, observed).result == RIGHT for premise in premises)

    def _answers(self, system: str, inference: Inference, observed: Observed) -> _Answers:
        premises = tuple(self._answer(system, premise, observed) for premise in inference.premises)
        if any(premise.result != RIGHT for premise in premises):
            return _Answers(premises, ())
        conclusions = (self._answer(system, conclusion, observed) for conclusion in inference.conclusions)
        return _Answers(premises, tuple(map(self._strictly, conclusions)))

    def _strictly(self, answer: Answered) -> Answered:
        return replace(answer, result=WRONG) if self.strict and answer.result == UNDECIDED else answer

    def _answer(self, system: str, prompt: Prompt, observed: Observed) -> Answered:
        on = observed.on(Dialogue((prompt,)))
        seen = next((observation for observation in on if observation.system == system), None)
        if seen is None:
            return Answered(FAILED, why="it was not asked")
        failure = self._no_answer(seen)
        if failure:
            return Answered(FAILED, why=one_line(failure))
        text = _text(seen)
        reading = self.read(text, prompt)
        return Answered(_result(reading.decision, prompt), reading.decision, one_line(reading.kind), text)

    def _no_answer(self, seen: Observation) -> str:
        """Why an observation is not an answer; empty if it is one."""
        if seen.obstacle:
            return seen.obstacle
        if not seen.is_finished:
            crash = "" if seen.crash is None else f"{seen.crash.kind}: {seen.crash.message}".rstrip(": ")
            return ": ".join(filter(None, [str(seen.status), crash, seen.remark]))
        if seen.exit_code is not None and seen.exit_code not in self.statuses:
            return f"status {seen.exit_code}"
        return ""

    # -- failures ------------------------------------------------------------------------------------------------------

    def _failures(self, system: str, inference: Inference, answers: _Answers) -> Iterator[Failure]:
        for prompt, answer in zip(inference.conclusions, answers.conclusions, strict=False):
            if answer.result == WRONG:
                relations = ", ".join(dict.fromkeys(map(relation_name, inference.relations)))
                shape = ": ".join(filter(None, [relations, f"{prompt.kind or 'basic'}, {_kind(prompt, answer)}"]))
                words = tuple(_words(inference, answers.premises, prompt, answer))
                yield Failure(system, inference.rule, shape, words)


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers of one system. It was asked for conclusions only if it got all premises right."""

    premises: tuple[Answered, ...]
    conclusions: tuple[Answered, ...]

    @property
    def is_tested(self) -> bool:
        """Whether it got a conclusion to answer, and there was an answer."""
        return any(conclusion.result != FAILED for conclusion in self.conclusions)

    @property
    def value(self) -> dict[str, Any]:
        return {
            "premises": [premise.value for premise in self.premises],
            "conclusions": [conclusion.value for conclusion in self.conclusions],
        }


def _inference(case: Case) -> Inference:
    if not isinstance(case.input, Inference):
        raise InputError(f"case {case.name} is a {case.input.kind}, not an inference")
    return case.input


def _systems(observed: Observed, inference: Inference) -> list[str]:
    """The systems that were asked something, in the order in which they were asked."""
    prompts = (*inference.premises, *inference.conclusions)
    return list(dict.fromkeys(seen.system for prompt in prompts for seen in observed.on(Dialogue((prompt,)))))


def _text(seen: Observation) -> str:
    if isinstance(seen.value, bool):
        return "yes" if seen.value else "no"
    return seen.value if isinstance(seen.value, str) else seen.stdout


def _result(decision: str, prompt: Prompt) -> str:
    if decision in (RIGHT, WRONG):
        return decision
    if decision not in ("yes", "no"):
        return UNDECIDED
    return RIGHT if decision == prompt.expected else WRONG


def _kind(prompt: Prompt, answer: Answered) -> str:
    given = answer.decision if answer.decision != UNDECIDED else answer.why or UNDECIDED
    return f"{prompt.expected} → {given}" if prompt.form == "yes-no" else f"{prompt.form}: {given}"


def _words(inference: Inference, premises: Sequence[Answered], prompt: Prompt, answer: Answered) -> Iterator[str]:
    for premise, given in zip(inference.premises, premises, strict=True):
        yield f"premise: {one_line(premise.text)}"
        yield f"  answer: {_shown(given.text)}"
    if prompt.context:
        yield f"context: {one_line(prompt.context)}"
    yield f"question: {one_line(prompt.text)}"
    expected = prompt.expected if prompt.form == "yes-no" else " or ".join(prompt.right[:3])
    yield f"  expected: {one_line(expected)}"
    yield f"  answer: {_shown(answer.text)}"
    if inference.is_mined:
        yield "the rule relies on a trait that was found in the data, not stated"


def _shown(text: str) -> str:
    """An answer on one line."""
    line = one_line(text)
    if not line:
        return "(empty)"
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _reason(answers: dict[str, _Answers]) -> str:
    """Why no system was tested. Few different texts, so that reports can count them."""
    given = [answer for system in answers.values() for answer in (*system.premises, *system.conclusions)]
    failed = [answer.why for answer in given if answer.result == FAILED]
    if failed and not any(answer.result == WRONG for answer in given):
        return f"a request failed: {failed[0]}"
    if any(answer.result == WRONG for answer in given):
        return "a premise was answered wrongly"
    return "the answer to a premise is undecided"


def _unclear(answers: Sequence[Answered]) -> str:
    failed = [answer.why for answer in answers if answer.result == FAILED]
    if failed:
        return f"a request failed: {failed[0]}"
    return next((f"undecided: {answer.why}" for answer in answers if answer.why), "the answer decides nothing")
