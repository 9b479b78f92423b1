"""Typical tests of the menu: a graph, queries, and assertions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, QueryBoolean, RdfFormat, Store

MENU = "https://example.org/pizzeria#"
PREFIXES = {"": MENU, "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
KINDS = "SELECT ?kind WHERE { ?kind rdfs:subClassOf+ :Pizza }"


@pytest.fixture(scope="module")
def menu() -> Store:
    """The newest menu, or the one that the environment variable MENU names."""
    store = Store()
    file = Path(os.environ.get("MENU", Path(__file__).parent.parent / "menu-2.ttl"))
    store.load(path=str(file), format=RdfFormat.TURTLE)
    return store


def test_there_are_kinds_of_pizza(menu: Store) -> None:
    assert len(list(menu.query(KINDS, prefixes=PREFIXES))) >= 4


def test_lemonade_is_a_drink(menu: Store) -> None:
    answer = menu.query("ASK { :Lemonade rdfs:subClassOf :Drink }", prefixes=PREFIXES)
    assert isinstance(answer, QueryBoolean)
    assert bool(answer)


def test_salami_is_known(menu: Store) -> None:
    assert any(menu.quads_for_pattern(NamedNode(MENU + "Salami"), None, None))


@pytest.mark.kg_terms(":Branch")
def test_there_is_a_branch(menu: Store) -> None:
    assert any(menu.quads_for_pattern(None, None, NamedNode(MENU + "Branch")))


def test_prices_are_rounded() -> None:
    assert round(138.995, 1) == 139.0
