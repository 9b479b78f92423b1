"""Compares the run of a system on a case with its run on the graph that the case was derived from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kgprobe.errors import InputError
from kgprobe.model import Case, Failure, Input, Observation, Outcome, Verdict, Way
from kgprobe.oracles.differences import Difference, of_outputs, of_texts, of_values
from kgprobe.oracles.protocol import Observed, merged
from kgprobe.oracles.single_run import ExitStatus

__all__ = ["CHANGED", "PARTS", "SameAsSeed"]

PARTS = ("exit status", "value", "stdout", "output")
CHANGED = "changed"
"""The kind of its failures: to see one again, two graphs have to be run."""
_NAMES = ("seed", "case")


@dataclass(frozen=True, slots=True)
class SameAsSeed:
    """A system must do the same on a case as on its seed graph.

    The seed graph is the reference of the case. `parts` selects the parts to compare; leave out, for example, a text
    with a time stamp, which would always differ. How the run ended is always compared, unless `endings` judges that: a
    run that it does not accept is a failure of its own, and says nothing about the answer. If it does not accept the
    run on the seed graph either, there is nothing to compare with.
    """

    parts: Collection[str] = PARTS
    endings: ExitStatus | None = None
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
        if before.is_unreadable and not after.is_unreadable:
            return Verdict(Outcome.UNDECIDED, f"on {case.origin}, {before.system}: {before.remark}")
        if why := self._incomparable(case, before, after):
            return Verdict(Outcome.UNDECIDED, why)
        found = dict(self._differences(before, after))
        if not found:
            return Verdict(Outcome.PASS)
        first = next(iter(found))
        shape = f"exit status {before.exit_code} to {after.exit_code}" if first == "exit status" else first
        kinds = tuple(f"{part}: {kind}" for part, difference in found.items() for kind in difference.kinds)
        words = tuple(line for difference in found.values() for line in difference.words)
        return Verdict(Outcome.FAIL, failures=(Failure(after.system, CHANGED, shape, words, Way(difference=kinds)),))

    def _incomparable(self, case: Case, before: Observation, after: Observation) -> str:
        """Why two runs cannot be compared; empty if they can."""
        if self.endings is None:
            return ""
        if self.endings.of(after).outcome is not Outcome.PASS:
            return f"{after.system} gave no answer to compare"
        on_seed = self.endings.of(before)
        if on_seed.outcome is Outcome.PASS:
            return ""
        what = "; ".join(failure.kind for failure in on_seed.failures) or on_seed.why
        return f"there is nothing to compare with: {after.system} on {case.origin}: {what}"

    def _differences(self, before: Observation, after: Observation) -> Iterator[tuple[str, Difference]]:
        if before.status is not after.status:
            shown = f"{before.status} on the seed, and {after.status} here"
            yield f"{before.status} to {after.status}", Difference(shown, (), (shown,))
        elif after.is_finished:
            are_read = before.is_read and after.is_read
            for part, compare in _COMPARISONS.items():
                is_source = are_read and part in ("stdout", "output")  # the value is what it says
                if part in self.parts and not is_source and (found := compare(before, after)) is not None:
                    yield part, found


def _exit_status(before: Observation, after: Observation) -> Difference | None:
    if before.exit_code == after.exit_code:
        return None
    shown = f"{before.exit_code} on the seed, and {after.exit_code} here"
    return Difference(shown, (), (shown,))


def _value(before: Observation, after: Observation) -> Difference | None:
    if before.value is None or after.value is None:
        return None if before.value is after.value else _only("an answer", here=before.value is None)
    partial = [name for name, seen in zip(_NAMES, (before, after), strict=True) if seen.is_partial]
    return of_values(before.value, after.value, _NAMES, partial)


def _only(what: str, *, here: bool) -> Difference:
    shown = f"{what} only {'here' if here else 'on the seed'}"
    return Difference(shown, (), (shown,))


def _stdout(before: Observation, after: Observation) -> Difference | None:
    return of_texts(before.stdout, after.stdout, _NAMES)


def _output(before: Observation, after: Observation) -> Difference | None:
    if before.output is None or after.output is None:
        return None if before.output is after.output else _only("a file", here=before.output is None)
    return of_outputs(before.output, after.output, _NAMES)


_COMPARISONS: dict[str, Callable[[Observation, Observation], Difference | None]] = {
    "exit status": _exit_status,
    "value": _value,
    "stdout": _stdout,
    "output": _output,
}
