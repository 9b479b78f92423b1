"""The plan after a change of an ontology: the tests to run, the reasons, and the changes that the suite needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.comparison.names import Names
from kgprobe.entailment.closure import EntailedChange, entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.graph.diff import Versions
from kgprobe.graph.terms import NamedNode, Triple
from kgprobe.selection.impact import select
from kgprobe.selection.order import ordered
from kgprobe.selection.tests import Suite, Test
from kgprobe.selection.wording import Reason, reasons

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Broken", "Gap", "PlannedTest", "Repair", "SelectionPlan", "safe_plan"]


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to run, and all reasons for it."""

    test: Test
    because: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """A new entity that no test uses, and a query about a statement that the ontology makes about it."""

    term: NamedNode
    suggestion: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A test that names a removed or deprecated entity, and the replacement of that entity, if one is known."""

    test: Test
    term: NamedNode
    replacement: NamedNode | None


@dataclass(frozen=True, slots=True)
class Repair:
    """A test file before and after its repair. The two texts differ only in names."""

    file: Path
    before: str
    after: str

    def as_diff(self) -> str:
        """The repair in the format of `diff -u`."""
        import difflib  # only here: few plans have anything to repair

        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, f"a/{self.file}", f"b/{self.file}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True)
class SelectionPlan:
    """The tests to run, those most likely to change first, out of all `tests`. `how` explains the choice."""

    mode: str
    chosen: tuple[PlannedTest, ...]
    tests: tuple[Test, ...]
    removed: int  # the number of triples that the change removed
    added: int
    how: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    broken: tuple[Broken, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def share(self) -> float:
        """The share of the tests to run, from 0 to 1."""
        return len(self.chosen) / len(self.tests) if self.tests else 0.0


def safe_plan(
    versions: Versions,
    suite: Suite,
    regime: Regime,
    *,
    reasoner: Reasoner | None = None,
    failures: Mapping[str, int] | None = None,
) -> SelectionPlan:
    """The tests that a changed triple can affect, asserted or entailed. Those most likely to change come first."""
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
    return SelectionPlan("safe", tuple(chosen), suite.tests, removed, added, tuple(how))


class _Sources:
    """Finds the asserted triples that an entailed triple follows from, in the version that entails it."""

    def __init__(self, versions: Versions, reasoner: Reasoner | None) -> None:
        self._versions = versions
        self._reasoner = reasoner
        self._known: dict[tuple[Regime, Triple, bool], tuple[Triple, ...]] = {}

    def under(self, regime: Regime) -> Callable[[Triple, bool], tuple[Triple, ...]]:
        """A function from an entailed triple, and whether it was added, to the changed triples behind it."""

        def sources(triple: Triple, added: bool) -> tuple[Triple, ...]:
            key = (regime, triple, added)
            if key not in self._known:
                self._known[key] = self._sources(regime, triple, added=added)
            return self._known[key]

        return sources

    def _sources(self, regime: Regime, triple: Triple, *, added: bool) -> tuple[Triple, ...]:
        from kgprobe.entailment.explanation import derivation  # only here: many plans have no entailed triples

        old, new = self._versions.old, self._versions.new
        graph, other = (new, old) if added else (old, new)
        steps = derivation(graph, triple, regime, self._reasoner)
        stated = dict.fromkeys(premise for step in steps for premise in step.premises if premise in graph)
        return tuple(premise for premise in stated if premise not in other) or tuple(stated)
