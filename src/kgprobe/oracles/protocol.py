"""The interface of oracles: the observations that they need, their verdicts, and how verdicts are combined."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kgprobe.model import Case, Failure, Input, Observation, Outcome, Verdict
from kgprobe.wording import number_of

__all__ = [
    "ForSystems",
    "Observed",
    "Oracle",
    "judged",
    "majority",
    "merged",
    "needed",
    "of_each_finished",
    "the_case_itself",
]

# The combined outcome is the first of these that occurs: one failure is enough, and a case passes only if all verdicts
# pass.
_PRECEDENCE = (Outcome.FAIL, Outcome.INVALID, Outcome.UNDECIDED, Outcome.PASS)
_NOTHING = Verdict(Outcome.UNDECIDED, "nothing was observed")


@dataclass(frozen=True, slots=True)
class ForSystems:
    """An input that only some systems have to run on, by their names."""

    input: Input
    systems: frozenset[str]


class Observed:
    """The observations for one case, by input. Each input that was run has one observation of each system that ran."""

    def __init__(self, observations: Iterable[tuple[Input, Sequence[Observation]]] = ()) -> None:
        self._observations = tuple(observations)

    @classmethod
    def of(cls, case: Case, observations: Sequence[Observation]) -> Observed:
        """Observations on the input of a case only."""
        return cls([(case.input, observations)])

    def on(self, given: Input) -> Sequence[Observation]:
        """The observations on an input; none if it was not run."""
        return self._found(given) or ()

    def has(self, given: Input) -> bool:
        """Whether an input was run."""
        return self._found(given) is not None

    def and_on(self, given: Input, observations: Sequence[Observation]) -> Observed:
        """These observations, and others on one input, which may have been run on other systems before."""
        others = [observation for observation in self._observations if observation[0] != given]
        return Observed([*others, (given, (*self.on(given), *observations))])

    def _found(self, given: Input) -> Sequence[Observation] | None:
        return next((observations for known, observations in self._observations if known == given), None)


class Oracle(Protocol):
    """Judges observations. It runs nothing, has no state, and is deterministic."""

    @property
    def name(self) -> str: ...

    @property
    def compares_systems(self) -> bool:
        """Whether a failure is a difference between several systems, rather than a fault of one."""
        ...

    def needs(self, case: Case, observed: Observed) -> Sequence[Input | ForSystems]:
        """The inputs that it needs observations on before it can judge; those in `observed` have been run.

        This is called again after each run. So a case can have stages: an oracle can ask for the premises first, and
        for the input of the case only if the answers to the premises were right. All systems run on an input, unless
        the oracle names those that have to. If no oracle needs anything at first, the input of the case is run.
        """
        ...

    def judge(self, case: Case, observed: Observed) -> Verdict:
        """The verdict on a case."""
        ...


def the_case_itself(_oracle: Oracle, case: Case, _observed: Observed) -> Sequence[Input]:
    """The method `needs` of most oracles: they need observations on the input of the case."""
    return (case.input,)


def needed(
    oracles: Sequence[Oracle], case: Case, observed: Observed, systems: Collection[str]
) -> list[tuple[Input, frozenset[str]]]:
    """The inputs to run next, each once, with the systems to run on it. Empty if all oracles can judge.

    `systems` are all that can be asked.
    """
    wanted: list[tuple[Input, frozenset[str]]] = []
    for need in (each for oracle in oracles for each in oracle.needs(case, observed)):
        given, asked = (need.input, need.systems) if isinstance(need, ForSystems) else (need, frozenset(systems))
        missing = asked.intersection(systems) - {seen.system for seen in observed.on(given)}
        place = next((place for place, (known, _) in enumerate(wanted) if known == given), None)
        if missing and place is None:
            wanted.append((given, missing))
        elif missing and place is not None:
            wanted[place] = given, wanted[place][1] | missing
    return wanted


def judged(oracles: Sequence[Oracle], case: Case, observed: Observed) -> Verdict:
    """The verdict of all oracles together; undecided if there is no oracle."""
    if not oracles:
        return Verdict(Outcome.UNDECIDED, "there is no oracle")
    verdicts = [oracle.judge(case, observed) for oracle in oracles]
    # An oracle that needs no answer must not pass a run whose answer nobody could read.
    said = "\n".join(verdict.why for verdict in verdicts)
    silent = [seen for seen in observed.on(case.input) if seen.is_unreadable and seen.remark not in said]
    unread = [f"{seen.system}: {seen.remark}" for seen in silent]
    verdicts += [Verdict(Outcome.UNDECIDED, "; ".join(unread))] if unread else []
    # If one oracle settles a case that was not run, the others have nothing to add.
    return merged([verdict for verdict in verdicts if verdict != _NOTHING] or verdicts)


def merged(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine verdicts: all failures, each signature once, and the most severe outcome."""
    all_of_them = list(verdicts)
    for outcome in _PRECEDENCE:
        saying = [verdict for verdict in all_of_them if verdict.outcome is outcome]
        if saying:
            why = "; ".join(dict.fromkeys(verdict.why for verdict in saying if verdict.why))
            by_signature = {f.signature: f for verdict in reversed(saying) for f in reversed(verdict.failures)}
            failures = tuple(reversed(by_signature.values()))
            return Verdict(outcome, why, failures, _all_details(all_of_them))
    return _NOTHING


def _all_details(verdicts: Iterable[Verdict]) -> dict[str, Any] | None:
    """The details of several verdicts; None if none has any."""
    found = [verdict.details for verdict in verdicts if verdict.details is not None]
    return {key: value for details in found for key, value in details.items()} if found else None


def of_each_finished(observed: Iterable[Observation], judge: Callable[[Observation], Verdict]) -> Verdict:
    """The verdict on the answers of the systems that gave one. Another oracle judges the other runs."""
    return merged(
        judge(observation)
        if observation.is_finished
        else Verdict(Outcome.UNDECIDED, f"{observation.system} gave no answer: {_ending(observation)}")
        for observation in observed
    )


def _ending(seen: Observation) -> str:
    return f"{seen.status}, {seen.remark}" if seen.remark else str(seen.status)


def majority(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of most runs; undecided if two outcomes are equally frequent.

    It keeps the failures that occur in more than half of the runs, or else the most frequent one. The order of the runs
    does not matter.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    counts = Counter(verdict.outcome for verdict in verdicts)
    most = max(counts.values(), default=0)
    winners = [outcome for outcome in Outcome if counts[outcome] == most]
    if not most or len(winners) > 1:
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
        return Verdict(Outcome.UNDECIDED, f"the runs do not agree: {told}" if told else "nothing was run")
    (outcome,) = winners
    details = next((verdict.details for verdict in verdicts if verdict.outcome is outcome), None)
    if outcome is Outcome.FAIL:
        return Verdict(outcome, failures=_frequent(verdicts), details=details)
    reasons = Counter(verdict.why for verdict in verdicts if verdict.outcome is outcome and verdict.why)
    parts = [min(reasons, key=lambda why: (-reasons[why], why))] if reasons else []
    if most < len(verdicts):
        parts.append(f"in {most} of {number_of(len(verdicts), 'run')}")
    return Verdict(outcome, ", ".join(parts), details=details)


def _frequent(verdicts: Sequence[Verdict]) -> tuple[Failure, ...]:
    """The failures to keep, each with the number of runs that had it."""
    by_signature: dict[str, list[Failure]] = defaultdict(list)
    for verdict in verdicts:
        for signature, failure in {failure.signature: failure for failure in verdict.failures}.items():
            by_signature[signature].append(failure)
    counted = sorted(by_signature, key=lambda signature: (-len(by_signature[signature]), signature))
    frequent = [signature for signature in counted if 2 * len(by_signature[signature]) > len(verdicts)]
    return tuple(_summary(by_signature[signature], len(verdicts)) for signature in frequent or counted[:1])


def _summary(failures: list[Failure], runs: int) -> Failure:
    """One of several failures with the same signature; which one does not depend on their order."""
    shown = min(failures, key=lambda failure: (failure.words, failure.system, failure.kind, failure.shape))
    words = (*shown.words, f"in {len(failures)} of {runs} runs")
    return replace(shown, words=words)
