"""A kind of system is a table type and a function that opens it; nothing else has to know it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from kgprobe.campaign.executor import Job, Task, WholeInput
from kgprobe.campaign.harness import OPENERS, Harness, Opening
from kgprobe.campaign.local import DEFAULT_WORKERS, WaitingWorkers, usual_count
from kgprobe.campaign.trial import Trial
from kgprobe.config.profile import OracleTable
from kgprobe.config.system_table import SystemTable
from kgprobe.errors import InputError
from kgprobe.model import Case, GraphInput, Observation, Outcome, Status
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple


@dataclass(frozen=True, kw_only=True)
class ToyTable(SystemTable):
    """A system that counts triples; it is wrong about graphs with more than `most`."""

    most: int
    opened: list[str] = field(default_factory=list, repr=False)

    @property
    def waits(self) -> bool:
        return True

    def is_answer(self, code: int | None, _statuses: Collection[int]) -> bool:
        return code == 0

    def check_input(self, kind: str) -> None:
        if kind == "dialogue":
            self._refuse_questions()

    def _usual_name(self) -> str:
        return "toy"


@dataclass(frozen=True)
class ToySystem:
    name: str
    table: ToyTable

    def start(self) -> None:
        self.table.opened.append("start")

    def run(self, case: Case) -> Observation:
        assert isinstance(case.input, GraphInput)
        count = len(case.input.graph)
        return Observation(self.name, Status.FINISHED, exit_code=int(count > self.table.most))

    def close(self) -> None:
        self.table.opened.append("close")


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(table: ToyTable, _opening: Opening) -> ToySystem:
        return ToySystem(table.name, table)

    added: type[SystemTable] = ToyTable
    monkeypatch.setitem(OPENERS, added, opened)


def task(ticket: int, count: int) -> Task:
    triples = [Triple(NamedNode(f"urn:{number}"), NamedNode("urn:p"), NamedNode("urn:o")) for number in range(count)]
    return Task(ticket, str(ticket), WholeInput(GraphInput(Graph(triples))))


def test_a_new_kind_runs_in_a_trial_and_in_threads() -> None:
    table = ToyTable(most=2)
    job = Job(Harness((table,), OracleTable()))
    with Trial(job) as trial:
        results = [trial.result(task(number, number)) for number in (1, 2, 3)]
    assert [result.verdict.outcome for result in results if result.verdict] == [
        *[Outcome.PASS, Outcome.PASS, Outcome.FAIL]
    ]
    assert table.opened == ["start", "close"]
    assert usual_count([table]) == DEFAULT_WORKERS
    with closing(WaitingWorkers(job, 2)) as workers:
        workers.submit(task(1, 5))
        [result] = workers.wait()
    assert result.verdict is not None
    assert result.verdict.outcome is Outcome.FAIL


def test_a_new_kind_says_what_it_cannot_be_asked() -> None:
    job = Job(Harness((ToyTable(most=2),), reader="words"))
    with pytest.raises(InputError, match="'toy' takes graphs, and cannot be asked questions"):
        Trial(job)
