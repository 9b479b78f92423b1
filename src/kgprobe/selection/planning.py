"""From two versions of an ontology and the tests of a project to a plan of what to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kgprobe.entailment.change import EntailedChange, entailed_change
from kgprobe.entailment.classes import class_edges
from kgprobe.entailment.explanation import derivation
from kgprobe.entailment.regime import Regime
from kgprobe.graph.terms import Term, Triple
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.alignment import Versions
from kgprobe.selection.order import ordered
from kgprobe.selection.paper.algorithm import Sets, affected
from kgprobe.selection.paper.algorithm import select as select_by_paper
from kgprobe.selection.paper.labels import ShortNames, short_names
from kgprobe.selection.paper.matrix import matrix
from kgprobe.selection.paper.model import Entity, ontology_graph
from kgprobe.selection.plan import Plan, PlannedTest
from kgprobe.selection.selector import select
from kgprobe.selection.tests import Suite
from kgprobe.selection.wording import Reason, reasons, unseen_reasons

__all__ = ["PaperPlan", "paper_plan", "safe_plan"]


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
    sources = _Sources(versions, reasoner)
    chosen = []
    for each in ordered(found.selected, failures):
        asserted = changes[each.regime].is_asserted
        because = reasons(each, versions.new.spelling.term, asserted, sources.under(each.regime))
        chosen.append(PlannedTest(each.test, tuple(because)))
    how = [f"regime {used.value}: {change.how}" for used, change in changes.items()]
    removed, added = len(versions.delta.removed), len(versions.delta.added)
    return Plan("safe", tuple(chosen), suite.tests, removed, added, tuple(how))


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
    spelled = versions.new.spelling.term
    chosen = [
        PlannedTest(
            each.test, (*(_in_affect(entity, names, spelled) for entity in each.because), *unseen_reasons(each.test))
        )
        for each in select_by_paper(sets.affect, matrix(suite.tests, old))
    ]
    how = tuple(dict.fromkeys((f"old version: {old_edges.how}", f"new version: {new_edges.how}")))
    removed, added = len(versions.delta.removed), len(versions.delta.added)
    return PaperPlan(Plan("paper", tuple(chosen), suite.tests, removed, added, how), sets, names)


def _in_affect(entity: Entity, names: ShortNames, spelled: Callable[[Term], str]) -> Reason:
    source, target, label = entity
    parts = (spelled(source), "-" if target is None else spelled(target), "-" if label is None else names.label(label))
    return Reason("", entailed=False, path=(), use=f"AFFECT has ⟨{', '.join(parts)}⟩", line=None)


class _Sources:
    """Which stated triples an entailed one comes from, in the version that has it."""

    def __init__(self, versions: Versions, reasoner: Reasoner | None) -> None:
        self._versions = versions
        self._reasoner = reasoner
        self._known: dict[tuple[Regime, Triple, bool], tuple[Triple, ...]] = {}

    def under(self, regime: Regime) -> Callable[[Triple, bool], tuple[Triple, ...]]:
        """A function from an entailed triple, and whether it was added, to the changes that made it so."""

        def sources(triple: Triple, added: bool) -> tuple[Triple, ...]:
            key = (regime, triple, added)
            if key not in self._known:
                self._known[key] = self._sources(regime, triple, added=added)
            return self._known[key]

        return sources

    def _sources(self, regime: Regime, triple: Triple, *, added: bool) -> tuple[Triple, ...]:
        old, new = self._versions.old, self._versions.new
        graph, other = (new, old) if added else (old, new)
        steps = derivation(graph, triple, regime, self._reasoner)
        stated = dict.fromkeys(premise for step in steps for premise in step.premises if premise in graph)
        return tuple(premise for premise in stated if premise not in other) or tuple(stated)
