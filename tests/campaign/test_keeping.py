"""What a reduction compares: how the systems ended, their whole output, or one failure."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import tempfile
from pathlib import Path

import pytest

from kgprobe.campaign.executor import ChangedGraph, Job, Resource, Result, Task, packed_graph
from kgprobe.campaign.experiment import Kept, NoSuchFailureError, Sameness, Wanted, kept_in, kept_success
from kgprobe.campaign.harness import Harness
from kgprobe.campaign.trial import Trial, described
from kgprobe.config.profile import OracleTable
from kgprobe.config.systems import CommandTable
from kgprobe.model import Crash, Failure, Observation, Outcome, Status, Verdict
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reduction.problem import DoesNotFailError

SEEN = Observation("tool", Status.FINISHED, 1.0, exit_code=0, stdout="yes")
CRASHED = Observation("tool", Status.CRASHED, exit_code=1, crash=Crash("KeyError", "'x'", ("a.py:f", "a.py:g")))


def exact(seen: Observation) -> str:
    return described([[seen]])[1]


def test_the_outcome_names_the_end_of_each_system() -> None:
    assert described([[SEEN]])[0] == "tool: finished, exit status 0"
    other = Observation("other", Status.TIMED_OUT)
    assert described([[CRASHED, other]])[0] == (
        "tool: crashed: KeyError in a.py:f < a.py:g, exit status 1; other: timed out or out of memory"
    )


def test_only_the_output_counts() -> None:
    same = dataclasses.replace(SEEN, seconds=9.0)
    assert exact(same) == exact(SEEN)
    for change in (
        {"stdout": "no"},
        {"stderr": "no"},
        {"exit_code": 1},
        {"value": True},
        {"output": b""},
        {"system": "x"},
    ):
        assert exact(dataclasses.replace(SEEN, **change)) != exact(SEEN)


def test_the_order_of_an_answer_and_labels_do_not_count() -> None:
    assert exact(dataclasses.replace(SEEN, value=["a", "b"])) == exact(dataclasses.replace(SEEN, value=["b", "a"]))
    one, other = b"<urn:a> <urn:p> _:x, <urn:b> .", b"<urn:a> <urn:p> <urn:b> , [] ."
    assert exact(dataclasses.replace(SEEN, output=one)) == exact(dataclasses.replace(SEEN, output=other))
    third = b"<urn:a> <urn:p> <urn:b> ."
    assert exact(dataclasses.replace(SEEN, output=one)) != exact(dataclasses.replace(SEEN, output=third))
    texts = [exact(dataclasses.replace(SEEN, output=text)) for text in (b"no graph", b"none at all")]
    assert texts[0] != texts[1]


def test_the_folder_of_a_run_does_not_count() -> None:
    folder = Path(tempfile.gettempdir())
    said = [dataclasses.replace(SEEN, stdout=f"{folder / name}/graph.ttl:1") for name in ("kgprobe-a1_", "kgprobe-b2")]
    assert exact(said[0]) == exact(said[1])
    assert exact(said[0]) != exact(dataclasses.replace(SEEN, stdout=f"{folder}/kgprobe-a1_/graph.ttl:2"))


def test_the_most_frequent_of_several_runs_is_described() -> None:
    assert described([[CRASHED], [SEEN], [SEEN]]) == described([[SEEN]])


def result(*failures: Failure, outcome: str = "", exact: str = "") -> Result:
    verdict = Verdict(Outcome.FAIL if failures else Outcome.PASS, failures=failures)
    return Result(1, verdict, outcome=outcome, exact=exact)


ONE = Failure("a", "misses", "subclass", ("<urn:x> ⊑ <urn:y>",))
TWO = Failure("b", "crashed", "KeyError")


def test_the_first_failure_is_kept() -> None:
    runs = [result(), result(TWO, ONE, outcome="o", exact="e")]
    kept = kept_in(runs, Sameness.SIGNATURE, lambda failure: int(failure is TWO))
    assert kept == Kept(Sameness.SIGNATURE, "a: misses: subclass", "a: misses: subclass", ONE, (TWO.signature,))
    assert kept.is_in(result(ONE), set)
    assert not kept.is_in(result(TWO), set)
    assert not kept.is_in(Result(1, None), set)
    ending = kept_in(runs, Sameness.ENDING, lambda _: 0)
    assert ending is not None
    assert ending.text == "o"
    assert ending.is_in(result(TWO, outcome="o"), set)
    assert not ending.is_in(result(TWO, outcome="x"), set)
    all_of_it = kept_in(runs, Sameness.EXACT, lambda _: 0)
    assert all_of_it is not None
    assert (all_of_it.is_in(result(exact="e"), set), all_of_it.is_in(result(exact="x"), set)) == (True, False)


def test_nothing_is_kept_if_nothing_failed() -> None:
    assert kept_in([result()], Sameness.SIGNATURE, lambda _: 0) is None
    assert kept_in([result(ONE)], Sameness.SIGNATURE, lambda _: None) is None
    assert kept_success([result(outcome="o", exact="e")]).is_in(result(exact="e"), set)


def test_a_trial_describes_its_outcome_only_on_request() -> None:
    command = (sys.executable, "-c", "print(3); raise SystemExit(5)")
    harness = Harness((CommandTable(name="tool", command=command),), OracleTable(runs=2))
    graph = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:b"), NamedNode("urn:c"))])
    job = Job(harness, (Resource("seed", pickle.dumps(graph)),))
    with Trial(job) as trial:
        plain = trial.result(Task(1, "x", ChangedGraph("seed", {})))
        told = trial.result(Task(2, "x", packed_graph(graph.copy(), "seed", graph), describe=True))
        whole = trial.result(Task(3, "x", packed_graph(Graph(graph), "seed", graph), describe=True))
    assert (plain.outcome, plain.exact, plain.error) == ("", "", None)
    assert plain.verdict is not None
    assert plain.verdict.has("tool: exit status: 5")
    assert told.outcome == whole.outcome == "tool: finished, exit status 5"
    assert told.exact == whole.exact != ""
    assert (told.verdict, whole.verdict) == (plain.verdict, plain.verdict)


def test_which_failure_is_kept() -> None:
    crash, wrong = Failure("tool", "crashed", "KeyError"), Failure("tool", "answer", "differs")
    runs = [result(crash, wrong)]
    assert Wanted().chosen(runs).value == crash.signature
    assert Wanted(known=KnownBugs([("tool: crashed: *", "")])).chosen(runs).value == wrong.signature
    assert Wanted(disagreements_first=True).chosen(runs).value == wrong.signature
    assert Wanted(signature="*differs").chosen(runs).value == wrong.signature
    with pytest.raises(NoSuchFailureError, match="no failure fits the signature 'x'") as caught:
        Wanted(signature="x").chosen(runs)
    assert caught.value.hint == "there is tool: crashed: KeyError; tool: answer: differs"
    with pytest.raises(DoesNotFailError, match="no system fails on this graph"):
        Wanted(or_success=True).chosen([result()])
    success = Wanted(sameness=Sameness.EXACT, or_success=True).chosen([result(outcome="o", exact="e")])
    assert success.failure is None
