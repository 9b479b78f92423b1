"""Verdicts over several observations: premises run before the conclusion, and a seed graph runs once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from kgprobe.campaign.executor import Job, Resource, Task, WholeInput, packed_graph
from kgprobe.campaign.harness import Harness
from kgprobe.campaign.trial import Trial
from kgprobe.config.profile import OracleTable
from kgprobe.config.systems import FunctionTable
from kgprobe.model import Case, Failure, GraphInput, Input, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, Oracle, of_each_finished
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

# A function that logs each call. It knows which names are coffee, except for those that it has forgotten.
SYSTEM = """
from pathlib import Path

def answer(graph):
    subject = str(next(iter(graph)).subject)
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write(subject[5:-1] + "\\n")
    if "crash" in subject:
        raise ValueError(subject)
    return "wrong" not in subject
"""


def about(*names: str) -> GraphInput:
    """A question about some names, as a graph. The function answers for the first name."""
    return GraphInput(Graph(Triple(NamedNode(f"urn:{name}"), NamedNode("urn:is"), Literal(name)) for name in names))


@dataclass(frozen=True)
class Inference:
    """If the answers to the premises are right, the answer to the conclusion must be right as well."""

    premises: tuple[GraphInput, ...]
    name: str = "inference"
    compares_systems: ClassVar[bool] = False

    def needs(self, case: Case, observed: Observed) -> Sequence[Input]:
        """The premises one by one while each of them is right, then the conclusion."""
        for premise in self.premises:
            if not observed.has(premise):
                return (premise,)
            if not self._is_right(observed, premise):
                return ()
        return (case.input,)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        wrong = [number for number, each in enumerate(self.premises, 1) if not self._is_right(observed, each)]
        if wrong:
            return Verdict(Outcome.UNDECIDED, f"premise {wrong[0]} was answered wrongly")
        return of_each_finished(
            observed.on(case.input),
            lambda seen: (
                Verdict(Outcome.PASS)
                if seen.value
                else Verdict(Outcome.FAIL, failures=(Failure(seen.system, "wrong conclusion"),))
            ),
        )

    def _is_right(self, observed: Observed, premise: Input) -> bool:
        seen = observed.on(premise)
        return bool(seen) and all(each.is_finished and each.value for each in seen)


@pytest.fixture(name="folder")
def folder_with_a_system(tmp_path: Path) -> Path:
    """The function."""
    (tmp_path / "system.py").write_text(SYSTEM)
    return tmp_path


def trial_in(folder: Path, oracles: Sequence[Oracle] | None = None, **asked: object) -> Trial:
    """A trial of the function."""
    table = FunctionTable(function="system.py:answer", name="tool", seconds=20)
    harness = Harness((table,), OracleTable(**asked), folder)  # type: ignore[arg-type]  # a test knows what it gives
    seed = Resource("seed", b"")
    return Trial(Job(harness, (seed,)), oracles=oracles)


def calls(folder: Path) -> list[str]:
    """The names that the function was asked about, in order."""
    file = folder / "calls"
    return file.read_text().split() if file.exists() else []


def inferring(*premises: str) -> list[Oracle]:
    """The oracles of an inference test."""
    return [ExitStatus(), Inference(tuple(map(about, premises)))]


@pytest.mark.parametrize(
    ("premises", "conclusion", "outcome", "called"),
    [
        (["a", "b"], "c", Outcome.PASS, ["a", "b", "c"]),
        (["a", "b"], "c-wrong", Outcome.FAIL, ["a", "b", "c-wrong"]),
        (["a", "b-wrong"], "c-wrong", Outcome.UNDECIDED, ["a", "b-wrong"]),
        (["a-wrong", "b"], "c", Outcome.UNDECIDED, ["a-wrong"]),
        (["a-crash", "b"], "c", Outcome.UNDECIDED, ["a-crash"]),
        (["a"], "c-crash", Outcome.FAIL, ["a", "c-crash"]),
        ([], "c-wrong", Outcome.FAIL, ["c-wrong"]),
    ],
)
def test_a_stage_runs_only_if_it_is_needed(
    folder: Path, premises: list[str], conclusion: str, outcome: Outcome, called: list[str]
) -> None:
    with trial_in(folder, inferring(*premises)) as trial:
        result = trial.result(Task(1, "case", WholeInput(about(conclusion))))
    assert result.error is None
    assert result.verdict is not None
    assert result.verdict.outcome is outcome
    assert calls(folder) == called
    if outcome is Outcome.UNDECIDED:
        assert result.verdict.why == f"premise {len(called)} was answered wrongly"


def test_premises_that_cases_share_are_run_once(folder: Path) -> None:
    with trial_in(folder, inferring("a", "b")) as trial:
        for number in range(3):
            assert trial.judge(Case(f"case {number}", about(f"c{number}")))[0].outcome is Outcome.PASS
    assert calls(folder) == ["a", "b", "c0", "c1", "c2"]


def test_inputs_that_oracles_share_are_run_once(folder: Path) -> None:
    with trial_in(folder, [*inferring("a", "b"), Inference((about("b"), about("a")), "other")]) as trial:
        assert trial.judge(Case("case", about("c")))[0].outcome is Outcome.PASS
    assert Counter(calls(folder)) == Counter(["a", "b", "c"])


def test_a_case_runs_if_another_oracle_needs_it(folder: Path) -> None:
    with trial_in(folder, [*inferring("a-wrong"), Inference((), "other")]) as trial:
        verdict, _ = trial.judge(Case("case", about("c-wrong")))
    assert sorted(calls(folder)) == ["a-wrong", "c-wrong"]
    assert verdict.outcome is Outcome.FAIL


def test_each_run_has_its_own_observations(folder: Path) -> None:
    with trial_in(folder, inferring("a"), runs=3) as trial:
        for name in ("c", "d"):
            assert trial.judge(Case(name, about(name)))[0].outcome is Outcome.PASS
    assert Counter(calls(folder)) == {"a": 3, "c": 3, "d": 3}


def test_a_seed_graph_runs_once_for_all_cases_compared_with_it(folder: Path) -> None:
    seed = packed_graph(about("seed").graph)
    with trial_in(folder, same_as_seed=True) as trial:
        for number, (name, outcome) in enumerate([("a", Outcome.PASS), ("b-wrong", Outcome.FAIL)]):
            task = Task(number, name, packed_graph(about(name).graph), origin="seed", reference=seed)
            verdict = trial.result(task).verdict
            assert verdict is not None
            assert verdict.outcome is outcome
    assert calls(folder) == ["seed", "a", "b-wrong"]


def test_a_seed_graph_that_was_a_case_does_not_run_again(folder: Path) -> None:
    seed = packed_graph(about("seed").graph)
    with trial_in(folder, same_as_seed=True) as trial:
        tried = trial.result(Task(0, "seed", seed, origin="seed", is_reference=True))
        assert tried.verdict == Verdict(Outcome.PASS)
        mutant = trial.result(Task(1, "a", packed_graph(about("a").graph), origin="seed", reference=seed))
        assert mutant.verdict == Verdict(Outcome.PASS)
    assert calls(folder) == ["seed", "a"]
