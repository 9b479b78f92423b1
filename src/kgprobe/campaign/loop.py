"""The loop of a campaign: plan cases, have them run, store their verdicts, and stop when it is time to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from kgprobe.campaign.events import Begun, Ended, Event, Found, Judged, Note
from kgprobe.campaign.executor import Executor
from kgprobe.campaign.plan import Plan, PlannedCase
from kgprobe.campaign.store import Store
from kgprobe.campaign.task import Result
from kgprobe.model import Outcome, Verdict
from kgprobe.oracles.known import KnownBugs

__all__ = ["Bounds", "Loop"]

_SECONDS_BETWEEN_NOTES = 1.0
# Of a limited time, if there is something to reduce.
_SHARE_FOR_CASES = 0.75


@dataclass(frozen=True)
class Bounds:
    """When to stop before all cases have run: after this many seconds in all, or this many different findings.

    `reduces` says that findings will be reduced, and that part of the seconds is reserved for that.
    """

    seconds: float | None = None
    findings: int | None = None
    reduces: bool = False


class Loop:
    """One campaign. `events` may be called once."""

    def __init__(self, plan: Plan, store: Store, executor: Executor, known: KnownBugs, bounds: Bounds) -> None:
        self._store = store
        self._executor = executor
        self._known = known
        self._bounds = bounds
        self._plan = plan
        self._pending: dict[int, PlannedCase] = {}
        self._begun = time.monotonic()
        self._seconds_before = store.seconds
        self._noted = self._begun
        found = {finding.signature: finding.first for finding in store.findings()}
        self._all = set(found)
        self._reduced = {finding.signature for finding in store.findings() if finding.reductions}
        # Findings by the first case that has them; those that are known do not count.
        self._firsts = {signature: first for signature, first in found.items() if known.note_for(signature) is None}

    def events(self) -> Iterator[Event]:
        """Run the cases, and yield events. A caller that stops asking for events loses only the cases in flight."""
        done = self._store.cases_run()
        yield Begun(self._plan.total, done, len(self._firsts))
        waiting = self._plan.interrupted()
        is_complete = self._plan.is_over and not self._store.in_flight()
        try:
            while (why := self._reason_to_stop()) is None:
                is_complete = is_complete or not self._fill(waiting)
                yield from map(Note, self._plan.notes())
                if is_complete:
                    why = "all cases have run"
                    break
                yield from self._collected()
            while self._pending and not self._has_enough_findings():
                yield from self._collected()
        finally:
            self._note_seconds()
        last = self._last_case()
        if last is not None:
            self._store.take_back(last)
        yield Ended(why)

    def _fill(self, waiting: Iterator[PlannedCase]) -> bool:
        """As many cases as the workers can take: first those that were interrupted, then new ones. False: no more."""
        room = max(0, self._executor.capacity - len(self._pending))
        cases = list(islice(waiting, room))
        if len(cases) < room:
            cases += self._plan.further(room - len(cases))
        for case in cases:
            planned = case.planned
            self._pending[planned.number] = case
            self._executor.submit(self._plan.task(planned.number, self._plan.name(planned), planned, case.input))
        return bool(self._pending)

    def _collected(self) -> Iterator[Event]:
        for result in self._executor.wait():
            case = self._pending.pop(result.ticket)
            yield from self._recorded(case, result)
        if time.monotonic() - self._noted > _SECONDS_BETWEEN_NOTES:
            self._note_seconds()

    def _recorded(self, case: PlannedCase, result: Result) -> Iterator[Event]:
        if result.error is not None:
            raise result.error
        verdict = result.verdict or Verdict(Outcome.UNDECIDED, "the worker gave no verdict")
        number = case.planned.number
        recipe = case.whole_recipe() if verdict.outcome is Outcome.FAIL else None
        self._store.record(number, verdict, result.seconds, recipe)
        attempts, kept = self._plan.counts()
        yield Judged(number, self._plan.name(case.planned), verdict, result.seconds, attempts, kept)
        for failure in verdict.failures:
            yield from self._counted(failure.signature, number)

    def _counted(self, signature: str, number: int) -> Iterator[Event]:
        is_known = self._known.note_for(signature) is not None
        if not is_known:
            self._firsts[signature] = min(number, self._firsts.get(signature, number))
        if signature not in self._all:
            self._all.add(signature)
            yield Found(signature, number, is_known)

    def _reason_to_stop(self) -> str | None:
        if self._has_enough_findings():
            return "1 finding" if self._bounds.findings == 1 else f"{self._bounds.findings} findings"
        seconds = self._bounds.seconds
        if seconds is None:
            return None
        if self._seconds() >= seconds:
            return f"{seconds:g} s have passed"
        for_cases = _SHARE_FOR_CASES * seconds
        has_to_reduce = self._bounds.reduces and not self._reduced.issuperset(self._firsts)
        if has_to_reduce and self._seconds() >= for_cases:
            return f"{for_cases:g} of {seconds:g} s have passed: the rest is for reductions"
        return None

    def _has_enough_findings(self) -> bool:
        """Whether the cases up to one have enough findings, and none of those is in flight any more."""
        last = self._last_case()
        return last is not None and all(number > last for number in self._pending)

    def _last_case(self) -> int | None:
        """The case that the last of the findings asked for comes with: the same one, whichever worker is faster."""
        asked = self._bounds.findings
        if asked is None or len(self._firsts) < asked:
            return None
        return sorted(self._firsts.values())[asked - 1]

    def _seconds(self) -> float:
        return self._seconds_before + time.monotonic() - self._begun

    def _note_seconds(self) -> None:
        self._noted = time.monotonic()
        self._store.set("seconds", f"{self._seconds():.3f}")
