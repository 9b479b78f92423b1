"""An oracle is a module of `oracles` and a key of [oracle]; nothing else has to know it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kgprobe.campaign.executor import Job, Task, WholeInput
from kgprobe.campaign.harness import Harness, oracle_makers, oracles_for
from kgprobe.campaign.trial import Trial
from kgprobe.config.profile import OracleTable
from kgprobe.config.schema import Document, problems, schema
from kgprobe.config.systems import CommandTable
from kgprobe.config.tables import Tables, key
from kgprobe.config.toml import Places
from kgprobe.model import Case, Failure, GraphInput, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, Oracle, of_each_finished, the_case_itself
from kgprobe.oracles.single_run import Beside
from kgprobe.rdf.graph import Graph


@dataclass(frozen=True)
class Longest:
    """The output has at most so many characters."""

    most: int
    name: str = "longest"
    compares_systems: bool = False
    needs = the_case_itself

    def judge(self, case: Case, observed: Observed) -> Verdict:
        def of(output: str, system: str) -> Verdict:
            is_short = len(output) <= self.most
            failures = () if is_short else (Failure(system, "too long", str(len(output))),)
            return Verdict(Outcome.PASS if is_short else Outcome.FAIL, failures=failures)

        return of_each_finished(observed.on(case.input), lambda seen: of(seen.stdout, seen.system))


@dataclass(frozen=True)
class ToyTable(OracleTable):
    longest: int | None = key("Longest output", "The largest number of characters.", minimum=1, default=None)


@dataclass(frozen=True)
class ToyDocument(Document):
    oracle: ToyTable = key("Oracle", "How runs are judged.", default=None)


@pytest.fixture(autouse=True)
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(most: int | None, _beside: Beside) -> Iterable[Oracle]:
        return () if most is None else (Longest(most),)

    monkeypatch.setitem(oracle_makers(), "longest", made)


def test_a_new_oracle_is_made_only_if_the_profile_has_its_key() -> None:
    assert [made.name for made in oracles_for(Harness((), ToyTable()))] == ["exit status"]
    assert [made.name for made in oracles_for(Harness((), ToyTable(longest=3)))] == ["exit status", "longest"]


def test_a_new_oracle_judges_runs_as_its_profile_says(tmp_path: Path) -> None:
    places = Places("p.toml")
    allowed = schema(ToyDocument)
    assert [problem.message for problem in problems({"oracle": {"longest": 0}}, places, allowed)] == [
        "[oracle] longest is at least 1, not 0"
    ]
    asked = Tables({"oracle": {"longest": 3}}, tmp_path, places).table(ToyTable, ("oracle",))
    system = CommandTable(name="tool", command=("{python}", "-c", "print('longer')"))
    with Trial(Job(Harness((system,), asked))) as trial:
        verdict = trial.result(Task(1, "1", WholeInput(GraphInput(Graph())))).verdict
    assert verdict is not None
    assert verdict.outcome is Outcome.FAIL
    assert [(failure.system, failure.kind) for failure in verdict.failures] == [("tool", "too long")]
