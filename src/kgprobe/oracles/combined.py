"""Several verdicts on one case as one: those of several oracles, or of one oracle on several systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kgprobe.model import Case, Input, Observation, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, Oracle

__all__ = ["judged", "merged", "needed", "of_each_finished"]

# The first of these that somebody says is what all say together: a failure counts, whatever else is unclear, and a case
# passes only if nobody objects.
_PRECEDENCE = (Outcome.FAIL, Outcome.INVALID, Outcome.UNDECIDED, Outcome.PASS)
_NOTHING = Verdict(Outcome.UNDECIDED, "nothing was observed")


def needed(oracles: Sequence[Oracle], case: Case, observed: Observed) -> list[Input]:
    """The inputs to run next: those that an oracle still needs, each once. Empty if all of them can judge."""
    found = Observed()
    wanted: list[Input] = []
    for given in (each for oracle in oracles for each in oracle.needs(case, observed)):
        if not observed.has(given) and not found.has(given):
            found = found.and_on(given, ())
            wanted.append(given)
    return wanted


def judged(oracles: Sequence[Oracle], case: Case, observed: Observed) -> Verdict:
    """The verdict of all oracles together; undecided if there is no oracle."""
    if not oracles:
        return Verdict(Outcome.UNDECIDED, "there is no oracle")
    verdicts = [oracle.judge(case, observed) for oracle in oracles]
    # If one oracle settles a case that was not run, the others have nothing to add.
    return merged([verdict for verdict in verdicts if verdict != _NOTHING] or verdicts)


def merged(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict of several: all failures, each signature once, and the outcome that weighs most."""
    all_of_them = list(verdicts)
    for outcome in _PRECEDENCE:
        saying = [verdict for verdict in all_of_them if verdict.outcome is outcome]
        if saying:
            why = "; ".join(dict.fromkeys(verdict.why for verdict in saying if verdict.why))
            by_signature = {f.signature: f for verdict in reversed(saying) for f in reversed(verdict.failures)}
            failures = tuple(reversed(by_signature.values()))
            return Verdict(outcome, why, failures)
    return _NOTHING


def of_each_finished(observed: Iterable[Observation], judge: Callable[[Observation], Verdict]) -> Verdict:
    """What is to be said about the answers of those that gave one. How the others ended is for another oracle."""
    return merged(
        judge(observation)
        if observation.is_finished
        else Verdict(Outcome.UNDECIDED, f"{observation.system} gave no answer: {_ending(observation)}")
        for observation in observed
    )


def _ending(seen: Observation) -> str:
    return f"{seen.status}, {seen.remark}" if seen.remark else str(seen.status)
