"""From two versions of an ontology and the tests of a project to a plan of what to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kgprobe.comparison.names import Names
from kgprobe.entailment.change import EntailedChange, entailed_change
from kgprobe.entailment.regime import Regime
from kgprobe.graph.diff import Versions
from kgprobe.graph.terms import Triple
from kgprobe.selection.order import ordered
from kgprobe.selection.plan import Plan, PlannedTest
from kgprobe.selection.selector import select
from kgprobe.selection.tests import Suite
from kgprobe.selection.wording import reasons

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["safe_plan"]


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
    names = Names(versions.old, versions.new)
    chosen = []
    for each in ordered(found.selected, failures):
        asserted = changes[each.regime].is_asserted
        because = reasons(each, names, asserted, sources.under(each.regime))
        chosen.append(PlannedTest(each.test, tuple(because)))
    how = [f"regime {used.value}: {change.how}" for used, change in changes.items()]
    removed, added = len(versions.gone), len(versions.come)
    return Plan("safe", tuple(chosen), suite.tests, removed, added, tuple(how))


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
        from kgprobe.entailment.explanation import derivation  # not above: where nothing follows, nothing is explained

        old, new = self._versions.old, self._versions.new
        graph, other = (new, old) if added else (old, new)
        steps = derivation(graph, triple, regime, self._reasoner)
        stated = dict.fromkeys(premise for step in steps for premise in step.premises if premise in graph)
        return tuple(premise for premise in stated if premise not in other) or tuple(stated)
