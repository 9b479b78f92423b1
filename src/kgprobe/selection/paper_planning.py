"""A plan of what to run by the algorithm of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgprobe.comparison.names import Names
from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.graph.diff import Versions
from kgprobe.graph.terms import Term
from kgprobe.selection.paper.algorithm import Sets, affected
from kgprobe.selection.paper.algorithm import select as select_by_paper
from kgprobe.selection.paper.labels import ShortNames, short_names
from kgprobe.selection.paper.matrix import matrix
from kgprobe.selection.paper.model import Entity, ontology_graph
from kgprobe.selection.plan import Plan, PlannedTest
from kgprobe.selection.tests import Suite
from kgprobe.selection.wording import Reason, unseen_reasons

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["PaperPlan", "paper_plan"]


@dataclass(frozen=True)
class PaperPlan:
    """A plan by the paper's algorithm, and its three sets."""

    plan: Plan
    sets: Sets
    names: ShortNames


def paper_plan(versions: Versions, suite: Suite, *, reasoner: Reasoner | None = None) -> PaperPlan:
    """The tests that use something in AFFECT, by Algorithm 1 of the paper."""
    old_edges, new_edges = (class_edges(graph, reasoner) for graph in (versions.old, versions.new))
    old, new = ontology_graph(versions.old, old_edges), ontology_graph(versions.new, new_edges)
    sets = affected(old, new)
    names = short_names(old.property_edges, new.property_edges)
    spelled = Names(versions.old, versions.new).explained
    chosen = [
        PlannedTest(
            each.test, (*(_in_affect(entity, names, spelled) for entity in each.because), *unseen_reasons(each.test))
        )
        for each in select_by_paper(sets.affect, matrix(suite.tests, old))
    ]
    how = tuple(dict.fromkeys((f"old version: {old_edges.how}", f"new version: {new_edges.how}")))
    removed, added = len(versions.gone), len(versions.come)
    return PaperPlan(Plan("paper", tuple(chosen), suite.tests, removed, added, how), sets, names)


def _in_affect(entity: Entity, names: ShortNames, spelled: Callable[[Term], str]) -> Reason:
    source, target, label = entity
    parts = (spelled(source), "-" if target is None else spelled(target), "-" if label is None else names.label(label))
    return Reason("", entailed=False, path=(), use=f"AFFECT has ⟨{', '.join(parts)}⟩", line=None)
