"""The meanings of names."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple
from kgprobe.selection.vocabulary import MOST_MATCHES, NameList, Vocabulary, compiled

from .discovery.finding import EX, OBO, pizzas, vocabulary


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("http://example.org/pizza#Pizza", [EX.Pizza]),
        ("<http://example.org/pizza#Pizza>", [EX.Pizza]),
        ("ex:Pizza", [EX.Pizza]),
        ("Pizza", [EX.Pizza]),
        ("pIZZA", [EX.Pizza]),
        ("Pizza pie", [EX.Pizza]),
        ("PIZZA PIE", [EX.Pizza]),
        ("Twin's pizza", [EX.Margherita, EX.MushroomPizza]),
        ("GO:0008150", [OBO.GO_0008150]),
        ("GO_0008150", [OBO.GO_0008150]),
        ("biological process", [OBO.GO_0008150]),
        ("FOOD:1", [EX.Food]),
        ("ex:Calzone", []),
        ("http://example.org/pizza#Calzone", []),
        ("Calzone", []),
        ("<no IRI>", []),
        ("<http://[", []),
        (":", []),
        ("", []),
        ("2020-01-01", []),
    ],
)
def test_names(text: str, meant: list[NamedNode]) -> None:
    assert sorted(vocabulary().resolve(text), key=str) == sorted(meant, key=str)


def test_an_exact_name_takes_precedence_over_other_case() -> None:
    graph = Graph([Triple(EX.a, RDFS.label, Literal("Tea")), Triple(EX.b, RDFS.label, Literal("TEA"))])
    known = Vocabulary.of(graph)
    assert known.resolve("Tea") == (EX.a,)
    assert set(known.resolve("tea")) == {EX.a, EX.b}


def test_names_of_all_graphs_and_changes_count() -> None:
    old = pizzas()
    new = old.copy()
    new.remove(Triple(EX.Pizza, RDFS.label, Literal("Pizza pie", language="en")))
    new.add(Triple(EX.Calzone, RDFS.label, Literal("Folded pizza")))
    other = Graph([Triple(EX.Cola, RDFS.label, Literal("Drink"))])
    known = Vocabulary.of(old, new, other)
    assert known.resolve("Pizza pie") == (EX.Pizza,)
    assert known.resolve("Folded pizza") == known.resolve("ex:Calzone") == known.resolve("Calzone") == (EX.Calzone,)
    assert known.resolve("Drink") == (EX.Cola,)


def test_the_first_file_determines_a_prefix() -> None:
    first = Graph([Triple(EX.Pizza, RDF.type, OWL.Class)], spelling=Spelling({"p": EX.iri}))
    second = Graph([], spelling=Spelling({"p": "http://other/", "q": "http://q/"}))
    assert Vocabulary.of(first, second).prefixes == {"p": EX.iri, "q": "http://q/"}
    assert Vocabulary.of(first, prefixes={"p": "http://mine/"}).prefixes == {"p": "http://mine/"}


@pytest.mark.parametrize(
    ("text", "iri"),
    [
        ("ex:Calzone", EX.iri + "Calzone"),
        ("http://example.org/x", "http://example.org/x"),
        ("<urn:x>", "urn:x"),
        ("urn:x:y", "urn:x:y"),
        ("GO:9999999", "http://purl.obolibrary.org/obo/GO_9999999"),
        ("Twin's pizza", None),
        ("unknown:Thing", None),
        ("Calzone", None),
    ],
)
def test_a_full_iri_need_not_be_known(text: str, iri: str | None) -> None:
    assert vocabulary().iri(text) == (None if iri is None else NamedNode(iri))


@pytest.mark.parametrize(
    ("text", "meant"),
    [("Piza", "Pizza"), ("Margerita", "Margherita"), ("biological proces", "biological process"), ("qqqqq", None)],
)
def test_the_nearest_name(text: str, meant: str | None) -> None:
    assert vocabulary().nearest(text) == meant


def test_iris_by_their_start() -> None:
    known = vocabulary()
    assert known.has_iri_from("http://example.org/pizza#Veg")
    assert known.has_iri_from(EX.iri)
    assert not known.has_iri_from("http://example.org/pizza#Z")
    assert not known.has_iri_from("zzz")


# -- patterns of LIKE --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "escape", "meant"),
    [
        ("Veg%", None, {EX.VeggiePizza}),
        ("veg%", None, {EX.VeggiePizza}),
        ("%Pizza", None, {EX.Pizza, EX.VeggiePizza, EX.MushroomPizza, EX.Margherita}),
        ("P_zza", None, {EX.Pizza}),
        ("GO:%", None, {OBO.GO_0008150}),
        ("http://example.org/pizza#M%a", None, {EX.Margherita, EX.MushroomPizza, EX.Mozzarella}),
        ("Veg!%", "!", set()),
        ("Calzone%", None, set()),
        ("%", None, None),
        ("_____", None, None),
        ("", None, None),
    ],
)
def test_patterns(pattern: str, escape: str | None, meant: set[NamedNode] | None) -> None:
    found = vocabulary().matching(pattern, escape)
    assert (None if found is None else set(found)) == meant


def test_a_pattern_that_matches_too_many_terms_is_unknown() -> None:
    triples = [Triple(EX[f"Pizza{n}"], RDF.type, OWL.Class) for n in range(MOST_MATCHES + 1)]
    assert Vocabulary.of(Graph(triples)).matching("Pizza%") is None
    found = Vocabulary.of(Graph(triples[1:])).matching("Pizza%")
    assert found is not None
    assert len(found) == MOST_MATCHES


_texts = st.text(alphabet="abAB%_.", max_size=6)


@given(st.lists(st.text(alphabet="abAB.", min_size=1, max_size=6), max_size=8), _texts)
def test_patterns_match_as_in_sqlite(names: list[str], pattern: str) -> None:
    database = sqlite3.connect(":memory:")
    expected = {name for name in names if database.execute("SELECT ? LIKE ?", (name, pattern)).fetchone()[0]}
    database.close()
    assert {name for name in names if compiled(pattern).fullmatch(name)} == expected
    found = NameList([(name, (NamedNode(f"urn:{name}"),)) for name in names]).matching(pattern, None, 100)
    if found is None:
        assert not pattern.strip("%_")
    else:
        assert {node.value.removeprefix("urn:") for node in found} == expected


def test_no_pattern_is_slow() -> None:
    graph = Graph([Triple(EX["a" * 3000], RDF.type, OWL.Class)])
    assert Vocabulary.of(graph).matching("%a" * 200 + "%b") == ()


@needs_shared_data
def test_the_gene_ontology() -> None:
    known = Vocabulary.of(load(shared("go/go-2022-07.obo.gz")).graph)
    for text in ("GO:0008150", "biological_process", "GO_0008150", "obo:GO_0008150"):
        assert known.resolve(text) == (OBO.GO_0008150,)
    assert known.matching("%activity%") is None
    assert known.nearest("biological_proces") == "biological_process"
