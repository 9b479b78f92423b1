"""The order of selected tests: what is broken, then what changed directly, then what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.turtle import graph_of

from kgprobe.demo.parts import case_study
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.selection.audit import audit, placed_first
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.order import Urgency
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.tests import Suite
from kgprobe.selection.vocabulary import Vocabulary

_MENU = """:Dish a owl:Class . :Pizza a owl:Class ; rdfs:subClassOf :Dish .
:Cola a owl:Class ; rdfs:label "cola"@en . :Soup a owl:Class ; rdfs:subClassOf :Dish .
:Stew a owl:Class ; rdfs:subClassOf :Soup ; rdfs:label "stew"@en .
"""


def _plan(tmp_path: Path, old: str, new: str, regime: Regime = Regime.NONE, **queries: str) -> SelectionPlan:
    versions = aligned(graph_of(old), graph_of(new))
    return safe_plan(versions, _suite(tmp_path, versions, queries), regime)


def _suite(folder: Path, versions: Versions, queries: dict[str, str]) -> Suite:
    prologue = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in versions.old.spelling.prefixes.items())
    for name, text in queries.items():
        (folder / f"{name}.rq").write_text(prologue + text, encoding="utf-8")
    return find_tests([folder], Vocabulary.of(versions.new, versions.old), FinderOptions(root=folder))


def _names(plan: SelectionPlan) -> list[str]:
    return [planned.test.name.removesuffix(".rq") for planned in plan.chosen]


def test_broken_names_come_first_then_direct_changes_then_what_follows(tmp_path: Path) -> None:
    plan = _plan(
        tmp_path,
        _MENU,
        _MENU.replace(":Cola a owl:Class ; rdfs:label", ":Drink a owl:Class ; rdfs:label").replace(
            "rdfs:subClassOf :Soup", "rdfs:subClassOf :Pizza"
        ),
        a_both="SELECT ?x WHERE { ?x rdfs:subClassOf+ :Dish . ?x rdfs:subClassOf :Pizza }",
        b_remote='SELECT ?x WHERE { ?x rdfs:subClassOf :Pizza ; rdfs:label "soup"@en }',
        c_direct="SELECT ?x WHERE { ?x rdfs:subClassOf :Soup }",
        d_unknown="SELECT ?x WHERE { ?x rdfs:subClassOf :{{kind}} }",
        e_broken="SELECT ?label WHERE { :Cola rdfs:label ?label }",
    )
    assert _names(plan) == ["e_broken", "a_both", "c_direct", "d_unknown", "b_remote"]
    assert str(plan.chosen[0].because[0]) == "names :Cola, which no longer exists"


def test_a_name_that_python_builds_can_be_broken(tmp_path: Path) -> None:
    space = graph_of("").spelling.prefixes[""]
    (tmp_path / "test_a.py").write_text(
        f"from rdflib import Graph, RDFS, URIRef\nMENU = '{space}'\n"
        "def test_a(graph: Graph): assert graph.value(URIRef(MENU + 'Soup'), RDFS.label) is None\n"
        "def test_b(graph: Graph): assert (URIRef(MENU + 'Cola'), None, None) in graph\n"
    )
    plan = _plan(tmp_path, _MENU, _MENU.replace(":Cola", ":Drink").replace(":Soup ;", ':Soup ; rdfs:label "soup" ;'))
    assert plan.chosen[0].test.name == "test_a.py::test_b"
    assert str(plan.chosen[0].because[0]) == "names :Cola, which no longer exists"


def test_what_follows_by_the_regime_comes_after_what_is_stated(tmp_path: Path) -> None:
    plan = _plan(
        tmp_path,
        _MENU,
        _MENU + ":stew1 a :Stew .",
        Regime.RDFS,
        a="SELECT ?x WHERE { ?x a :Dish }",
        b="SELECT ?x WHERE { ?x a :Stew }",
    )
    assert [(planned.test.name, planned.urgency) for planned in plan.chosen] == [
        ("b.rq", Urgency.DIRECT),
        ("a.rq", Urgency.FOLLOWS),
    ]


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("{ :Bread rdfs:label ?label }", "{ ?x rdfs:subClassOf :Soup ; rdfs:label ?label }"),
        ("{ ?x rdfs:subClassOf :Dish ; rdfs:label ?label }", "{ ?x rdfs:subClassOf/rdfs:subClassOf :Pizza }"),
        ("{ ?x rdfs:subClassOf* :Dish . ?x rdfs:label ?label }", "{ ?x rdfs:label ?label . ?x rdfs:comment ?text }"),
    ],
)
def test_a_change_that_fits_the_other_patterns_counts_more(tmp_path: Path, near: str, far: str) -> None:
    new = _MENU + ':Bread a owl:Class ; rdfs:subClassOf :Dish ; rdfs:label "bread"@en .'
    plan = _plan(tmp_path, _MENU, new, a=f"SELECT * WHERE {far}", b=f"SELECT * WHERE {near}")
    assert _names(plan) == ["b", "a"]


def test_the_figure_of_an_order() -> None:
    assert placed_first(["x", "y", "a"], {"x"}) == 1.0
    assert placed_first(["a", "x", "b", "y"], {"x", "y"}) == 0.25
    assert placed_first(["x"], {"x"}) is None
    assert placed_first([], {"x"}) is None


def test_tests_whose_answers_change_come_early() -> None:
    """On mutants of the case study; one half is chance."""
    folder = case_study("pizzeria")
    graph = load(folder / "menu-1.ttl").graph
    found = find_tests([folder / "tests"], Vocabulary.of(graph, graph), FinderOptions(root=folder))
    # Names must not help.
    suite = Suite(tuple(replace(test, name=str(number)) for number, test in enumerate(found.tests)))
    result = audit(graph, suite, _mutants(graph), Regime.NONE)
    assert len(result.orders) > 30
    assert result.order is not None
    assert result.order > 0.8


def _mutants(graph: Graph) -> Iterator[Delta]:
    operators = [Weighted(operator) for name in ("generic", "owl-dl", "abox") for operator in operator_set(name)]
    return (mutant.delta for mutant in Generator(graph, operators, mutations=3, seed=7).mutants(100))
