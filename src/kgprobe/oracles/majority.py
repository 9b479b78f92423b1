"""One verdict of several runs, for systems that do not do the same every time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kgprobe.model import Failure, Outcome, Verdict

__all__ = ["majority"]


def majority(verdicts: Sequence[Verdict]) -> Verdict:
    """What most runs say; undecided if two outcomes are equally frequent.

    Of the failures, those remain that more than half of the runs have. If there is none, the most frequent remains.
    The order of the runs does not matter.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    counts = Counter(verdict.outcome for verdict in verdicts)
    most = max(counts.values(), default=0)
    winners = [outcome for outcome in Outcome if counts[outcome] == most]
    if not most or len(winners) > 1:
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
        return Verdict(Outcome.UNDECIDED, f"the runs do not agree: {told}" if told else "there was no run")
    (outcome,) = winners
    if outcome is Outcome.FAIL:
        return Verdict(outcome, failures=_frequent(verdicts))
    reasons = Counter(verdict.why for verdict in verdicts if verdict.outcome is outcome and verdict.why)
    parts = [min(reasons, key=lambda why: (-reasons[why], why))] if reasons else []
    if most < len(verdicts):
        parts.append(f"in {most} of {len(verdicts)} runs")
    return Verdict(outcome, ", ".join(parts))


def _frequent(verdicts: Sequence[Verdict]) -> tuple[Failure, ...]:
    """The failures that count, each with how often it was seen."""
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
