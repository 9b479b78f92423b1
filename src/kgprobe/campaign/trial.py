"""One case: all systems run on it, and the oracles judge."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from types import TracebackType
from typing import Any

from kgprobe.campaign.keeping import described
from kgprobe.campaign.last_words import with_last_words
from kgprobe.campaign.task import Job, PackedInput, Result, Task
from kgprobe.config.oracles import oracles_for
from kgprobe.config.systems import open_system
from kgprobe.errors import KgprobeError
from kgprobe.model import Case, Observation, Outcome, Status, Verdict
from kgprobe.oracles.combined import judged
from kgprobe.oracles.differential import Differential
from kgprobe.oracles.majority import majority
from kgprobe.oracles.protocol import Oracle

__all__ = ["Trial"]

_TRIES_ON_A_REFERENCE = 2  # a flaky failure is not a reason to leave a seed graph out


class Trial:
    """The systems and oracles of a job, ready to be used again and again; not by several threads at once."""

    def __init__(self, job: Job, *, on_run: Callable[[str], object] = str) -> None:
        """`on_run` is told the name of each system before it runs, and an empty one when all of them have run."""
        self._job = job
        self._on_run = on_run
        harness = job.harness
        self._runs = harness.oracle.runs
        self._systems = [open_system(table, harness.folder, harness.oracle.exit) for table in harness.systems]
        self._packed = {resource.name: resource.packed for resource in job.resources}
        # Few resources are in use at the same time, and each can be large.
        self._resource = lru_cache(maxsize=8)(self._unpacked)
        self._references: dict[str, PackedInput] = {}
        self._on_reference: dict[str, Sequence[Observation]] = {}
        self._oracles = oracles_for(harness, self._observed_on_reference)

    def __enter__(self) -> Trial:
        try:
            for system in self._systems:
                system.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End what the systems have started."""
        for system in self._systems:
            system.close()

    def result(self, task: Task) -> Result:
        """What comes of a task. An error that is no system's fault is in the result."""
        try:
            case = self._case(task)
            if task.is_reference:
                return self._result_on_reference(task, case)
            runs = [self.observe(case, task.only) for _ in range(self._runs)]
            verdict, seconds = self._judged(case, runs)
            outcome, exact = described(runs) if task.describe else ("", "")
            return Result(task.ticket, verdict, seconds, outcome=outcome, exact=exact)
        except KgprobeError as error:
            return Result(task.ticket, None, error=error)

    def judge(self, case: Case, reference: PackedInput | None = None) -> tuple[Verdict, float]:
        """The verdict on a case, and the seconds that the systems took; `reference` is the input of its origin."""
        if reference is not None:
            self._references[case.origin] = reference
        return self._judged(case, [self.observe(case) for _ in range(self._runs)])

    def observe(self, case: Case, only: Collection[str] = ()) -> list[Observation]:
        """What each system, or each of these, does on a case. UnavailableError if one is not there any more."""
        observed = []
        for system in self._systems:
            if only and system.name not in only:
                continue
            self._on_run(system.name)
            seen = system.run(case)
            if seen.status is Status.UNREACHABLE:
                system.start()  # raises if it is gone, and then no other case can be run either
                seen = system.run(case)
            observed.append(seen)
        self._on_run("")
        return observed

    def _result_on_reference(self, task: Task, case: Case) -> Result:
        """The result for a reference. Its observations are kept, since cases derived from it are compared with them."""
        alone = [oracle for oracle in self._oracles if not isinstance(oracle, Differential)]
        comparing = [oracle for oracle in self._oracles if isinstance(oracle, Differential)]
        seconds = 0.0
        for _ in range(_TRIES_ON_A_REFERENCE if self._runs == 1 else 1):
            runs = [self.observe(case) for _ in range(self._runs)]
            self._on_reference[case.origin] = runs[0]
            verdict, more = self._judged(case, runs, alone)
            seconds += more
            if verdict.outcome is not Outcome.FAIL:
                break
        compared, _ = self._judged(case, runs, comparing)
        return Result(task.ticket, verdict, seconds, compared=compared)

    def _judged(
        self, case: Case, runs: Sequence[Sequence[Observation]], oracles: Sequence[Oracle] | None = None
    ) -> tuple[Verdict, float]:
        """What these oracles say, or all of them."""
        seconds = sum(seen.seconds for observed in runs for seen in observed)
        asked = self._oracles if oracles is None else oracles
        verdicts = [with_last_words(judged(asked, case, observed), observed) for observed in runs]
        return (majority(verdicts) if len(verdicts) > 1 else verdicts[0]), seconds

    def _case(self, task: Task) -> Case:
        if task.reference is not None:
            self._references[task.origin] = task.reference
        return Case(task.name, task.input.unpacked(self._resource), task.origin)

    def _unpacked(self, name: str) -> Any:
        return pickle.loads(self._packed[name])  # noqa: S301 - our own process packed it

    def _observed_on_reference(self, name: str) -> Sequence[Observation]:
        if name not in self._on_reference:
            packed = self._references.get(name)
            if packed is None:
                return ()
            self._on_reference[name] = self.observe(Case(name, packed.unpacked(self._resource), name))
        return self._on_reference[name]
