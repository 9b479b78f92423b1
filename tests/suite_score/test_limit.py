"""A query that takes too long, or ends its process, costs its own result and no other."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.processes.child import run
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Triple
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.tests import Suite, Test
from kgprobe.sparql.reading import read_query
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.limit import doing
from kgprobe.suite_score.model import Fate
from kgprobe.suite_score.mutants import axiom_changes
from kgprobe.suite_score.scoring import ScoreJob, scored
from kgprobe.suite_score.workers import Workers

A, B, C, kind = (NamedNode(f"urn:{name}") for name in ("A", "B", "C", "kind"))
GRAPH = Graph(
    [
        *(Triple(each, RDF.type, OWL.Class) for each in (A, B, C)),
        Triple(B, RDFS.subClassOf, A),
        Triple(C, RDFS.subClassOf, B),
        *(Triple(NamedNode(f"urn:{number}"), RDF.type, OWL.NamedIndividual) for number in range(200)),
    ]
)
BELOW = f"<urn:B> <{RDFS.subClassOf.value}> <urn:A>"
# Without an index that helps, the engine tries all combinations of four triples.
ENDLESS = (
    "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a = <urn:x> || ?d = <urn:x> || ?g = <urn:x> || ?j = <urn:x>)"
)
SLOW_WITHOUT = f"ASK {{ FILTER(IF(EXISTS {{ {BELOW} }}, true, EXISTS {{ {ENDLESS} }})) }}"
LIMIT = 3  # seconds; the quick query takes milliseconds, on a busy machine too
# On a fast machine, the slow query may need too much memory first.
TOO_MUCH = "(took longer than 3 s|needs more memory than is available)"
QUICK = f"ASK {{ <urn:C> <{RDFS.subClassOf.value}> <urn:B> }}"
KILLER = f"ASK {{ {BELOW} }}"


def suite(**queries: str) -> Suite:
    return Suite(tuple(Test(name, SPARQL, read_query(text).uses, queries=(text,)) for name, text in queries.items()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_mutant_on_which_a_query_takes_too_long_is_undecided(workers: int) -> None:
    tests = suite(quick=QUICK, slow=SLOW_WITHOUT)
    found = scored(ScoreJob(graph=GRAPH, suite=tests, seconds=LIMIT, workers=workers))
    assert [each.fate for each in found.outcomes] == [Fate.UNDECIDED, Fate.KILLED]
    [(why, count)] = found.reasons
    assert re.fullmatch(f"slow {TOO_MUCH}", why)
    assert count == 1
    assert found.score == 100
    assert found.executions == 4


def test_a_mutant_that_another_test_kills_is_killed() -> None:
    tests = suite(a_slow=SLOW_WITHOUT, b_slow=SLOW_WITHOUT, killer=KILLER, quick=QUICK)
    found = scored(ScoreJob(graph=GRAPH, suite=tests, seconds=LIMIT))
    assert (found.killed, found.undecided) == (2, 0)
    assert {test.name: test.kills for test in found.tests} == {"a_slow": 0, "b_slow": 0, "killer": 1, "quick": 1}


def test_a_query_that_takes_too_long_on_the_original_fails_on_it() -> None:
    asked = ScoreJob(graph=GRAPH, suite=suite(quick=QUICK, slow=f"ASK {{ {ENDLESS} }}"), seconds=LIMIT)
    with pytest.raises(InputError, match=f"1 test fails on the original: slow: it {TOO_MUCH}"):
        scored(asked)
    found = scored(replace(asked, skip_failing=True))
    [left_out] = found.left_out
    assert left_out.test == "slow"
    assert re.fullmatch(f"fails on the original: it {TOO_MUCH}", left_out.why)
    assert (found.killed, found.survived) == (1, 1)


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (signal.SIGABRT, "slow needs more memory than is available"),
        (signal.SIGKILL, "slow ended its process 2 times: SIGKILL"),
    ],
)
def test_a_query_that_ends_its_process_is_given_up(number: signal.Signals, why: str) -> None:
    changes = axiom_changes(GRAPH)
    setting = Setting(GRAPH, suite(quick=QUICK, slow=SLOW_WITHOUT), seconds=60, all_kills=True)
    with Workers(setting, 1) as workers:
        assert workers.failures() == []
        workers.learn(["quick", "slow"])
        with _ending_each(workers, "slow", number):
            found = {change.number: each for change, each in workers.judged([(each, (0, 1)) for each in changes])}
    assert [each.fate for each in found.values()] == [Fate.UNDECIDED, Fate.KILLED]
    assert found[0].why == why


@contextmanager
def _ending_each(workers: Workers, work: str, number: signal.Signals) -> Iterator[None]:
    """Send a signal to each worker that has been doing this for a moment, as the system does to a greedy one."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.3):
            for child in [member.worker.child for member in workers._pool.members]:
                if doing(child.scratch / "doing") == work and not child.has_ended:
                    os.kill(child.pid, number)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        is_over.set()
        watching.join()


def test_a_suggestion_that_cannot_be_found_in_time_is_given_up() -> None:
    [change, _] = axiom_changes(GRAPH)
    with Judge(Setting(GRAPH, suite(quick=QUICK))) as judge:
        assert judge.failures() == []
        judge.keep(["quick"])
        found = judge.judged(change.delta, [0])
        without = judge.judged(change.delta, [0], {"<suggestion>": "took longer than 1 s"})
        unknown = judge.judged(change.delta, [0], {"<equivalence>": "took longer than 1 s"})
    assert (found.fate, without.fate) == (Fate.SURVIVED, Fate.SURVIVED)
    assert found.suggestion is not None
    assert without.suggestion is None
    assert (unknown.fate, unknown.why) == (
        Fate.UNDECIDED,
        "comparing it with the original took longer than 1 s",
    )


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_is_more_than_nothing(seconds: float) -> None:
    with pytest.raises(InputError, match="leaves no time"):
        scored(ScoreJob(graph=GRAPH, suite=suite(quick=QUICK), seconds=seconds))


def test_without_a_limit_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgprobe.processes.worker.Child", None)
    assert scored(ScoreJob(graph=GRAPH, suite=suite(quick=QUICK), seconds=float("inf"))).killed == 1


def test_memory_is_bounded_in_addition_to_what_is_used(tmp_path: Path) -> None:
    program = tmp_path / "greedy.py"
    program.write_text(
        "from kgprobe.processes.limits import bound_memory\n"
        "kept = bytearray(300 << 20)\n"
        "bound_memory(200 << 20)\n"
        "more = bytearray(100 << 20)\n"
        "print('fits', flush=True)\n"
        "try:\n    bytearray(300 << 20)\nexcept MemoryError:\n    print('refused')\n",
        encoding="utf-8",
    )
    done = run([sys.executable, str(program)], Limits(60, 0))
    assert done.stdout.text() == "fits\nrefused\n"
