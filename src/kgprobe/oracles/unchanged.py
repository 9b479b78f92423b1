"""Compares the run of a system on a case with its run on the graph that the case was derived from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kgprobe.errors import InputError
from kgprobe.graph.canonical import same_output
from kgprobe.model import Case, Failure, Input, Observation, Outcome, Verdict
from kgprobe.oracles.facts import disputed, shortened, text_difference
from kgprobe.oracles.protocol import Observed, merged

__all__ = ["PARTS", "SameAsSeed"]

PARTS = ("exit status", "value", "stdout", "output")
_SEED, _CASE = "seed", "case"


@dataclass(frozen=True, slots=True)
class SameAsSeed:
    """A system must do the same on a case as on its seed graph.

    The seed graph is the reference of the case. `parts` selects the parts to compare; leave out, for example, a text
    with a time stamp, which would always differ. How the run ended is always compared.
    """

    parts: Collection[str] = PARTS
    name: str = "same as on the seed"
    compares_systems: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for part in self.parts:
            if part not in PARTS:
                raise InputError(f"not a part of an observation: {part}", hint=f"compare {', '.join(PARTS)}")

    def needs(self, case: Case, _observed: Observed) -> Sequence[Input]:
        """The observations on the seed graph and on the case, in any order."""
        return (case.input,) if case.reference is None else (case.reference, case.input)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        on_seed = () if case.reference is None else observed.on(case.reference)
        before = {seen.system: seen for seen in on_seed}
        return merged(self._verdict(case, before.get(seen.system), seen) for seen in observed.on(case.input))

    def _verdict(self, case: Case, before: Observation | None, after: Observation) -> Verdict:
        if before is None:
            return Verdict(Outcome.UNDECIDED, f"{after.system} was not run on the seed {case.origin}")
        if obstacle := before.obstacle or after.obstacle:
            return Verdict(Outcome.UNDECIDED, obstacle)
        failures = tuple(self._changes(before, after))
        return Verdict(Outcome.FAIL if failures else Outcome.PASS, failures=failures)

    def _changes(self, before: Observation, after: Observation) -> list[Failure]:
        if before.status is not after.status:
            shape = f"{before.status} to {after.status}"
            words = (f"{before.status} on the seed, and {after.status} here",)
            return [Failure(after.system, "changed", shape, words)]
        if not after.is_finished:
            return []
        found = {part: compare(before, after) for part, compare in _COMPARISONS.items() if part in self.parts}
        shapes = {"exit status": f"exit status {before.exit_code} to {after.exit_code}"}
        return [
            Failure(after.system, "changed", shapes.get(part, part), words) for part, words in found.items() if words
        ]


def _exit_status(before: Observation, after: Observation) -> tuple[str, ...]:
    if before.exit_code == after.exit_code:
        return ()
    return (f"{before.exit_code} on the seed, and {after.exit_code} here",)


def _value(before: Observation, after: Observation) -> tuple[str, ...]:
    if before.value is None or after.value is None:
        return () if before.value is after.value else _only("an answer", here=before.value is None)
    partial = {name for name, seen in ((_SEED, before), (_CASE, after)) if seen.is_partial}
    lines = []
    for fact, having in disputed({_SEED: before.value, _CASE: after.value}).items():
        # A fact that a partial answer lacks may still hold.
        if not partial - having:
            lines.append(f"{'gone' if _SEED in having else 'new'}: {fact.text}")
    return shortened(lines)


def _only(what: str, *, here: bool) -> tuple[str, ...]:
    return (f"{what} only {'here' if here else 'on the seed'}",)


def _stdout(before: Observation, after: Observation) -> tuple[str, ...]:
    return () if before.stdout == after.stdout else text_difference(before.stdout, after.stdout, names=(_SEED, _CASE))


def _output(before: Observation, after: Observation) -> tuple[str, ...]:
    if before.output is None or after.output is None:
        return () if before.output is after.output else _only("a file", here=before.output is None)
    if same_output(before.output, after.output):
        return ()
    old, new = before.output.decode(errors="backslashreplace"), after.output.decode(errors="backslashreplace")
    return text_difference(old, new, names=(_SEED, _CASE))


_COMPARISONS: dict[str, Callable[[Observation, Observation], tuple[str, ...]]] = {
    "exit status": _exit_status,
    "value": _value,
    "stdout": _stdout,
    "output": _output,
}
