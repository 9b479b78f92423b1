"""The fifth part of the demo: select the tests that a new menu can affect, and check that none is missed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kgprobe.demo.materials import case_study
from kgprobe.entailment.regime import Regime
from kgprobe.graph.diff import aligned
from kgprobe.graph.files import load
from kgprobe.graph.graph import Graph
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.strategies import Weighted
from kgprobe.reasoners.choice import opened
from kgprobe.selection.audit import audit
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.paper.planning import PaperSelector
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.tests import Suite

__all__ = ["show"]

_MUTANTS = 100
_SHOWN = 3
_MODES = {"safe": "the default", "paper": "the published method"}


def show() -> Iterator[str]:
    """Select tests for one change, and audit the selection on many."""
    folder = case_study("pizzeria")
    versions = aligned(load(folder / "menu-1.ttl").graph, load(folder / "menu-2.ttl").graph)
    removed, added = len(versions.gone), len(versions.come)
    yield f"Change     a new menu: {removed} triples removed, {added} added"
    suite = find_tests([folder / "tests"], Vocabulary.of(versions.new, versions.old), FinderOptions(root=folder))
    plan = safe_plan(versions, suite, Regime.NONE)
    yield f"Tests      {len(plan.chosen)} of {len(plan.tests)} must run again (SPARQL, SQL and Python); for example:"
    for each in islice((each for each in reversed(plan.chosen) if each.because[0].change), _SHOWN):
        yield f"             {each.test.name}"
        yield f"               {each.because[0]}"
    yield from _audited(versions.old, suite)


def _audited(graph: Graph, suite: Suite) -> Iterator[str]:
    operators = [Weighted(operator) for name in ("owl-el", "abox") for operator in operator_set(name)]
    mutants = (mutant.delta for mutant in Generator(graph, operators, mutations=2).mutants(_MUTANTS))
    with opened() as reasoner:
        found = audit(graph, suite, mutants, Regime.NONE, others={"paper": PaperSelector(graph, suite, reasoner)})
    yield "Audit      does the selection miss a test whose answer changes?"
    yield f"           {found.tests} queries on each of {found.changes} mutants: {found.altered} answers change"
    for name, mode in found.modes.items():
        mean = mode.selected / mode.changes
        yield f"             {name:<6} selects {mean:.1f} tests on average, misses {len(mode.misses)} ({_MODES[name]})"
