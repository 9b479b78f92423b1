"""A reasoner as a system under test: its own answers, right or wrong.

kgprobe does not correct the known mistakes of a reasoner here, since tests are meant to find them. The exception is
documented limits: ELK supports only a part of OWL, and reports omissions only in its log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kgprobe.errors import InputError, KgprobeError, did_you_mean
from kgprobe.model import Case, Crash, Observation, Status
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.catalogue import REASONERS, entry
from kgprobe.reasoners.gaps import known_omission
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Classification, Consistency, Reasoner, Task
from kgprobe.systems.protocol import GraphObject, Payload, content_for

__all__ = ["TASKS", "ReasonerSystem"]

TASKS: dict[str, tuple[Task, ...]] = {
    "consistency": (Consistency(),),
    "hierarchy": (Consistency(), Classification()),
}
_INCONSISTENT = "InconsistentOntologyException"  # of the OWL API, and of some reasoners


class ReasonerSystem:
    """One of the reasoners, or `auto`. The value is whether the ontology is consistent, or its `Hierarchy`.

    The hierarchy of an inconsistent ontology is False. The time limit applies to each question separately.
    """

    def __init__(
        self,
        reasoner: str,
        task: Literal["consistency", "hierarchy"] = "consistency",
        *,
        limits: Limits | None = None,
        payload: Payload[Graph] | None = None,
        name: str | None = None,
    ) -> None:
        """`name` is the system's name, if not that of the reasoner."""
        if task not in TASKS:
            hint = did_you_mean(str(task), TASKS, f"choose from {', '.join(TASKS)}")
            raise InputError(f"no reasoner task is named '{task}'", hint=hint)
        self._which = "auto" if reasoner.casefold() == "auto" else entry(reasoner).name
        self.name = name or self._which
        self._task = task
        self._limits = limits or Limits()
        self._payload = payload or GraphObject()
        self._reasoner: Reasoner | None = None

    def start(self) -> None:
        """Find the reasoner; UnavailableError if it is not installed. Its process is started by the first case."""
        self._opened()

    def run(self, case: Case) -> Observation:
        """Ask the reasoner about a graph."""
        graph = content_for(case, self._payload, self.name)
        if isinstance(graph, Observation):
            return graph
        # Triples that are not OWL are left out, in the same way for every reasoner.
        ontology = replace(Ontology.of(graph), leftovers=0)
        tasks = TASKS[self._task]
        try:
            answers = self._opened().answer(ontology, tasks)
        except KgprobeError as error:
            return Observation(self.name, Status.UNREACHABLE, remark=str(error))
        seen = self._combined(answers)
        is_sure = seen.value is None or seen.value is False  # a contradiction holds even if axioms were overlooked
        known = "" if is_sure else self._omission(ontology, tasks[-1])
        reasons = list(filter(None, [seen.remark, known]))
        return replace(seen, is_partial=True, remark="; ".join(reasons)) if known else seen

    def close(self) -> None:
        """End the reasoner's process."""
        if self._reasoner is not None:
            self._reasoner.close()
            self._reasoner = None

    def _omission(self, ontology: Ontology, task: Task) -> str:
        known = REASONERS.get(self._which)
        return "" if known is None else known_omission(known.name, known.reliability, ontology, task)

    def _opened(self) -> Reasoner:
        if self._reasoner is None:
            self._reasoner = open_reasoner(self._which, self._limits, verbatim=True)
        return self._reasoner

    def _combined(self, answers: Sequence[Answer]) -> Observation:
        """One observation: an inconsistency if any answer reports it, else the first failure, else the last answer."""
        seconds = sum(answer.seconds for answer in answers)
        for answer in answers:
            if answer.value is False or answer.kind.endswith(_INCONSISTENT):
                return Observation(self.name, Status.FINISHED, seconds, value=False)
        failed = next((answer for answer in answers if answer.value is None), None)
        if failed is not None:
            return self._failed(failed, seconds)
        last = answers[-1]
        # Unlike the others, auto reports doubt.
        doubt = last.why if self._which == "auto" and not last.complete else last.omission
        return Observation(self.name, Status.FINISHED, seconds, value=last.value, is_partial=bool(doubt), remark=doubt)

    def _failed(self, answer: Answer, seconds: float) -> Observation:
        if answer.why.startswith("time limit"):
            return Observation(self.name, Status.TIMED_OUT, seconds, remark=answer.why)
        if answer.why.startswith("out of memory"):
            return Observation(self.name, Status.OUT_OF_MEMORY, seconds, remark=answer.why)
        if answer.kind:
            crash = Crash(answer.kind, answer.why, answer.trace)
            return Observation(self.name, Status.CRASHED, seconds, crash=crash, remark=answer.why)
        return Observation(self.name, Status.FINISHED, seconds, is_partial=True, remark=answer.why)
