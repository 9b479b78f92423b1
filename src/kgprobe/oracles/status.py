"""An oracle that judges only how a run ended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kgprobe.model import Case, Failure, Input, Observation, Outcome, Status, Verdict
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.signatures import crash_shape, way_of
from kgprobe.oracles.verdicts import merged

__all__ = ["ExitStatus"]

_PASS = Verdict(Outcome.PASS)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """A run must finish with an allowed exit status.

    With a status in `invalid`, a system reports that it does not accept the graph.
    """

    allowed: Collection[int] = (0,)
    invalid: Collection[int] = ()
    name: str = "exit status"
    compares_systems: ClassVar[bool] = False

    def needs(self, _case: Case, _observed: Observed) -> Sequence[Input]:
        """Nothing: if no other oracle needs the case to be run, neither does this one."""
        return ()

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return merged(map(self._verdict, observed.on(case.input)))

    def _verdict(self, seen: Observation) -> Verdict:
        if seen.obstacle:
            return Verdict(Outcome.UNDECIDED, seen.obstacle)
        if seen.status is Status.CRASHED:
            return _crashed(seen)
        if not seen.is_finished:
            took = f"after {seen.seconds:.3g} s" if seen.seconds else ""
            return _failed(Failure(seen.system, str(seen.status), "", tuple(filter(None, [took, seen.remark]))))
        if seen.exit_code in self.invalid:
            why = f"{seen.system} does not accept the graph: exit status {seen.exit_code}"
            return Verdict(Outcome.INVALID, why)
        if seen.exit_code is None or seen.exit_code in self.allowed:
            return _PASS
        if seen.crash is not None:  # a server that survives an exception answers with a status
            return _crashed(seen)
        last = seen.stderr.strip().splitlines()[-1:]
        shape = f"exit status {seen.exit_code}"
        return _failed(Failure(seen.system, "exit status", shape, tuple(last), way_of(seen)))


def _crashed(seen: Observation) -> Verdict:
    return _failed(Failure(seen.system, str(Status.CRASHED), crash_shape(seen), _crash_words(seen), way_of(seen)))


def _failed(failure: Failure) -> Verdict:
    return Verdict(Outcome.FAIL, failures=(failure,))


def _crash_words(seen: Observation) -> tuple[str, ...]:
    """The crash in the words of the system."""
    if seen.crash is None:
        return (seen.remark,) if seen.remark else ()
    place = seen.crash.place
    line = () if place is None else (_sentence(f"{place.file}:{place.line}", place.text),)
    frames = (f"at {frame}" for frame in seen.crash.frames[:20])
    return (*_sentence(seen.crash.kind, seen.crash.message).splitlines(), *line, *frames)


def _sentence(what: str, more: str) -> str:
    return f"{what}: {more}" if more else what
