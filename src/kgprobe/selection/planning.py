"""From two versions of an ontology and the tests of a project to a plan of what to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kgprobe.entailment.change import EntailedChange, entailed_change
from kgprobe.entailment.classes import class_edges
from kgprobe.entailment.regime import Regime
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import Term, Triple
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.alignment import Versions
from kgprobe.selection.order import ordered
from kgprobe.selection.paper.algorithm import Sets, affected
from kgprobe.selection.paper.algorithm import select as select_by_paper
from kgprobe.selection.paper.matrix import matrix_of
from kgprobe.selection.paper.model import OntologyGraph, ontology_graph
from kgprobe.selection.plan import Plan, PlannedTest
from kgprobe.selection.selector import Selection, select
from kgprobe.selection.tests import Suite
from kgprobe.selection.wording import Reason, reasons

__all__ = ["PaperPlan", "paper_plan", "safe_plan"]

SAFE, PAPER = "safe", "paper"


def safe_plan(
    versions: Versions,
    suite: Suite,
    regime: Regime,
    *,
    reasoner: Reasoner | None = None,
    failures: Mapping[str, int] | None = None,
) -> Plan:
    """The tests that some changed triple can touch, asserted or entailed, the most likely to change first."""
    changes: dict[Regime, EntailedChange] = {}

    def change_under(asked: Regime) -> EntailedChange:
        if asked not in changes:
            changes[asked] = entailed_change(versions.old, versions.new, asked, reasoner)
        return changes[asked]

    found = select(suite, regime, change_under)
    spelled = versions.new.spelling.term
    chosen = [
        PlannedTest(
            each.test,
            tuple(reasons(each, spelled, found.impacts[each.regime].change.asserted.__contains__)),
        )
        for each in ordered(found.selected, failures)
    ]
    removed, added = len(versions.delta.removed), len(versions.delta.added)
    return Plan(SAFE, tuple(chosen), suite.tests, removed, added, _how(found))
