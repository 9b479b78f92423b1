"""Plans and audits of test selection as text: numbers agree with their nouns, and nothing is cut without a word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgprobe.entailment.rules import Regime
from kgprobe.report.selection import audit_lines, summary_line
from kgprobe.selection.audit import Audit, Miss, ModeResult
from kgprobe.selection.plan import SelectionPlan


@pytest.mark.parametrize(
    ("removed", "added", "told"),
    [
        (1, 0, "1 triple removed, 0 added"),
        (0, 1, "0 triples removed, 1 added"),
        (1234, 5, "1,234 triples removed, 5 added"),
    ],
)
def test_a_plan_says_how_much_has_changed(removed: int, added: int, told: str) -> None:
    plan = SelectionPlan("safe", (), (), removed, added)
    assert summary_line(plan) == f"0 of 0 tests to run (0.0%): {told}"


def test_an_audit_of_one_mutant_and_one_test() -> None:
    audit = Audit(Regime.NONE, 1, 1, changes=1, runs=1, altered=1, modes={"safe": ModeResult(1, 1, 1)})
    lines = list(audit_lines(audit))
    assert lines[0] == "1 mutant, 1 test, regime none: 1 run, in 1 of which a test's answer changed"
    assert lines[1] == "1 test was not run: it is not a query, or depends on more than the graph"


def test_an_audit_names_what_was_missed() -> None:
    modes = {"safe": ModeResult(2, 2, 2, [Miss(1, "a.rq", "safe")]), "paper": ModeResult(1, 1, 1)}
    audit = Audit(Regime.RDFS, 3, 2, changes=2, runs=6, altered=2, modes=modes)
    lines = list(audit_lines(audit))
    assert lines[0] == "2 mutants, 3 tests, regime rdfs: 6 runs, in 2 of which a test's answer changed"
    assert lines[1] == "2 tests were not run: they are not queries, or depend on more than the graph"
    assert any(line.startswith("paper") and line.endswith("on 1 mutant that can be classified") for line in lines)
    assert lines[-1] == "MISSED: a.rq on mutant 2"
    assert not any("MISSED" in line for line in audit_lines(replace(audit, modes={"safe": ModeResult(2, 2, 2)})))
