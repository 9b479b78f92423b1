"""The entry points of the paper's algorithm: plans, the three sets, and entity coverage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from kgprobe.entailment.class_hierarchy import ClassEdges, class_edges
from kgprobe.graph.diff import Versions
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Term
from kgprobe.ontology.wording import Names
from kgprobe.selection.paper.algorithm import Sets, affected, as_json, select
from kgprobe.selection.paper.entities import Entity, ShortNames, short_names
from kgprobe.selection.paper.entity_coverage import EntityCoverage, entity_coverage
from kgprobe.selection.paper.matrix import matrix
from kgprobe.selection.paper.model import ontology_graph
from kgprobe.selection.plan import PlannedTest, SelectionPlan
from kgprobe.selection.tests import Suite, Test
from kgprobe.selection.wording import Reason, unseen_reasons

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["EntityCoverage", "PaperPlan", "PaperSelector", "covered_entities", "named_sets", "paper_plan"]

_NamedSets: TypeAlias = dict[str, list[list[str | None]]]


@dataclass(frozen=True)
class PaperPlan:
    """A plan by the paper's algorithm, and its three sets."""

    plan: SelectionPlan
    sets: Sets
    names: ShortNames

    def named_sets(self) -> _NamedSets:
        """The sets for JSON; sorting them takes time."""
        return as_json(self.sets, self.names)


def paper_plan(versions: Versions, suite: Suite, *, reasoner: Reasoner | None = None) -> PaperPlan:
    """Plan the tests that use an entity in AFFECT, by Algorithm 1 of the paper."""
    old_edges, new_edges = (class_edges(graph, reasoner) for graph in (versions.old, versions.new))
    old, new = ontology_graph(versions.old, old_edges), ontology_graph(versions.new, new_edges)
    sets = affected(old, new)
    names = short_names(old.property_edges, new.property_edges)
    spelled = Names(versions.old, versions.new).explained
    chosen = [
        PlannedTest(
            each.test, (*(_in_affect(entity, names, spelled) for entity in each.because), *unseen_reasons(each.test))
        )
        for each in select(sets.affect, matrix(suite.tests, old))
    ]
    how = tuple(dict.fromkeys((f"old version: {old_edges.how}", f"new version: {new_edges.how}")))
    removed, added = len(versions.gone), len(versions.come)
    return PaperPlan(SelectionPlan("paper", tuple(chosen), suite.tests, removed, added, how), sets, names)


def _in_affect(entity: Entity, names: ShortNames, spelled: Callable[[Term], str]) -> Reason:
    source, target, label = entity
    parts = (spelled(source), "-" if target is None else spelled(target), "-" if label is None else names.label(label))
    return Reason("", entailed=False, path=(), use=f"AFFECT has ⟨{', '.join(parts)}⟩", line=None)


class PaperSelector:
    """Selects tests for many new versions of one ontology. The old version and the tests are read once."""

    def __init__(self, old: Graph, suite: Suite, reasoner: Reasoner | None = None) -> None:
        self._reasoner = reasoner
        self._old = ontology_graph(old, class_edges(old, reasoner))
        self._matrix = matrix(suite.tests, self._old)

    def __call__(self, new: Graph) -> frozenset[str]:
        """The names of the tests to run."""
        sets = affected(self._old, ontology_graph(new, class_edges(new, self._reasoner)))
        return frozenset(each.test.name for each in select(sets.affect, self._matrix))


def named_sets(old: Graph, new: Graph, edges: Sequence[ClassEdges]) -> _NamedSets:
    """ADD, DELETE and AFFECT for JSON, from two versions and their class hierarchies."""
    before, after = (ontology_graph(graph, found) for graph, found in zip((old, new), edges, strict=True))
    return as_json(affected(before, after), short_names(before.property_edges, after.property_edges))


def covered_entities(tests: Sequence[Test], graph: Graph, reasoner: Reasoner | None = None) -> EntityCoverage:
    """The entities of an ontology that the tests use."""
    return entity_coverage(tests, ontology_graph(graph, class_edges(graph, reasoner)))
