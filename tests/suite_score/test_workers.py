"""Workers that end early are replaced, and no mutant is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from kgprobe.formats.files import load
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.mutants import axiom_changes
from kgprobe.suite_score.workers import Workers

PIZZERIA = Path(__file__).parents[2] / "examples" / "pizzeria"


def test_a_killed_worker_is_replaced() -> None:
    graph = load(PIZZERIA / "menu-1.ttl").graph
    suite = find_tests(sorted((PIZZERIA / "tests").glob("*.rq")), Vocabulary.of(graph, graph))
    setting = Setting(graph, suite, all_kills=True)
    changes = axiom_changes(graph)
    order = tuple(range(len(suite.tests)))
    names = [test.name for test in suite.tests]
    with Judge(setting) as judge:
        assert judge.failures() == []
        judge.keep(names)
        wanted = {change.number: judge.judged(change.delta, order) for change in changes}
    with Workers(setting, 2) as workers:
        assert workers.failures() == []
        workers.learn(names)
        tasks = [(change, order) for change in changes]
        found = workers.judged(tasks)
        first, judged = next(found)
        killed = workers.pids[0]
        os.kill(killed, signal.SIGKILL)
        assert {first.number: judged, **{change.number: each for change, each in found}} == wanted
        assert {change.number: each for change, each in workers.judged(tasks)} == wanted
        assert killed not in workers.pids
    assert len(wanted) == 52
