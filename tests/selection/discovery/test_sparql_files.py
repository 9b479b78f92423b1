"""SPARQL query files as tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.entailment.rules import Regime
from kgprobe.rdf.terms import RDF
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.sparql.reading import read_query
from kgprobe.sparql.uses import ANYTHING, Slot, TripleUse

from .finding import EX, find, only, terms, vocabulary, write

PIZZAS = "PREFIX ex: <http://example.org/pizza#>\nSELECT ?x WHERE { ?x a ex:Pizza }\n"


def test_one_test_for_each_file(tmp_path: Path) -> None:
    files = {"b.rq": PIZZAS, "a/c.sparql": PIZZAS, "a/notes.txt": PIZZAS, "d.RQ": PIZZAS}
    suite = find(tmp_path, files)
    assert [test.name for test in suite.tests] == ["a/c.sparql", "b.rq", "d.RQ"]
    assert {test.language.name for test in suite.tests} == {"sparql"}
    assert suite.notes == ()


def test_the_uses_of_a_query(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"q.rq": PIZZAS}))
    [use] = test.uses
    assert isinstance(use, TripleUse)
    assert (use.predicate.terms, use.object.terms) == (frozenset([RDF.type]), frozenset([EX.Pizza]))
    assert (test.file, test.unseen, test.queries) == (tmp_path / "q.rq", (), (PIZZAS,))
    assert [(mention.term, mention.written) for mention in test.mentions] == [(EX.Pizza, "ex:Pizza")]
    assert test.patterns == read_query(PIZZAS).patterns


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        (["q.srx"], "q.srx"),
        (["q.srj"], "q.srj"),
        (["q.json", "q.csv"], "q.csv"),
        (["q.ttl"], "q.ttl"),
        (["expected/q.tsv"], "expected/q.tsv"),
        (["expected/q.anything", "q.txt"], "q.txt"),
        (["other.csv", "expected/other.csv"], None),
    ],
)
def test_expected_results_beside_a_query_are_not_tests(tmp_path: Path, beside: list[str], expected: str | None) -> None:
    test = only(find(tmp_path, {"q.rq": PIZZAS, **dict.fromkeys(beside, "")}))
    assert test.expected == (None if expected is None else tmp_path / expected)


def test_an_expected_query_is_not_a_test(tmp_path: Path) -> None:
    suite = find(tmp_path, {"q.rq": PIZZAS, "expected/q.rq": PIZZAS, "expected/r.rq": PIZZAS})
    assert [test.name for test in suite.tests] == ["expected/r.rq", "q.rq"]


def test_prefixes_of_the_ontology_apply_if_a_query_declares_none(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"q.rq": "SELECT ?x { ?x a ex:Pizza }"}))
    assert terms(test) == {"type", "Pizza"}
    assert test.queries == ("PREFIX ex: <http://example.org/pizza#>\nSELECT ?x { ?x a ex:Pizza }",)
    read_query(test.queries[0])  # without any prefixes given


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_positions_count_characters_of_the_file(tmp_path: Path, ends: str, mark: str) -> None:
    text = mark + "# Größe\nSELECT ?x {\n ?x a <http://example.org/pizza#Pizza> }".replace("\n", ends)
    test = only(find(tmp_path, {"q.rq": text}))
    assert [mention.written for mention in test.mentions] == ["<http://example.org/pizza#Pizza>"]
    assert terms(test) == {"type", "Pizza"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { ?x a <{cls}> }",
        "SELECT ?x { ?x a <%s> }",
        "SELECT ?x { ?x a {{ cls }} }",
        "SELECT ?x { ?x a <${cls}> }",
        'SELECT ?x { ?x rdfs:label "%s" }',
        'SELECT ?x { ?x rdfs:label ?l FILTER(?l = "{label}") }',
        "PREFIX : <http://e/> SELECT ?x { ?x :p '$name' }",
    ],
)
def test_templates_are_always_selected(tmp_path: Path, text: str) -> None:
    test = only(find(tmp_path, {"q.rq": text}))
    assert test.unseen == ("cannot see what this test uses: the query is a template",)
    assert test.queries == ()


def test_a_variable_with_a_dollar_is_not_a_template(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"q.rq": 'SELECT $x { $x a ?y FILTER(REGEX($y, "^a{2}$")) }'}))
    assert test.unseen == ()


def test_an_invalid_query_is_always_selected_with_the_reason(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"q.rq": "SELECT ?x {\n ?x a }"}))
    assert test.unseen == ("cannot see what this test uses: this is not a SPARQL query (line 2)",)
    test = only(find(tmp_path, {"q.rq": b"\xff\xfe"}))
    assert test.unseen == ("cannot see what this test uses: it is not UTF-8 text",)


def test_the_same_broken_query_has_the_right_line_in_each_file(tmp_path: Path) -> None:
    suite = find(tmp_path, {"a.rq": "SELECT ?x {", "b.rq": "SELECT ?x {"})
    assert suite.tests[0].unseen == suite.tests[1].unseen


@pytest.mark.parametrize("regime", list(Regime))
def test_a_comment_at_the_start_states_the_regime(tmp_path: Path, regime: Regime) -> None:
    test = only(find(tmp_path, {"q.rq": f"# A test\n\n#kgprobe: regime={regime}\n{PIZZAS}"}))
    assert test.regime is regime


def test_comments_for_the_checker_are_no_settings(tmp_path: Path) -> None:
    text = f"# kgprobe: ontology menu.ttl\n# kgprobe: ignore unknown-term, disjoint\n# kgprobe: regime=rl\n{PIZZAS}"
    suite = find(tmp_path, {"q.rq": text, "r.rq": PIZZAS})
    assert suite.notes == ()
    commented, plain = suite.tests
    assert len(plain.uses) == 1
    assert [replace(use, line=None) for use in commented.uses] == [replace(use, line=None) for use in plain.uses]


def test_an_unknown_regime_is_noted_with_the_nearest(tmp_path: Path) -> None:
    suite = find(tmp_path, {"q.rq": f"# kgprobe: regime=rdf\n{PIZZAS}", "r.rq": f"# kgprobe: mode=x\n{PIZZAS}"})
    assert [test.regime for test in suite.tests] == [None, None]
    assert suite.notes == (
        "q.rq:1: there is no regime 'rdf': did you mean 'rdfs'?",
        "r.rq:1: 'mode' is not a kgprobe setting, only regime=… is",
    )
    later = find(tmp_path / "later", {"q.rq": f"{PIZZAS}\n# kgprobe: regime=rdfs"})
    assert (only(later).regime, later.notes) == (None, ())


def test_names_are_paths_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"suite/q.rq": PIZZAS, "suite/r.rq": PIZZAS})
    monkeypatch.chdir(tmp_path)
    for folder, names in (
        (Path("suite"), ["suite/q.rq", "suite/r.rq"]),
        (Path("./suite/"), ["suite/q.rq", "suite/r.rq"]),
        (Path(), ["suite/q.rq", "suite/r.rq"]),
        (tmp_path / "suite", ["suite/q.rq", "suite/r.rq"]),
        (Path("suite/q.rq"), ["suite/q.rq"]),
    ):
        assert [test.name for test in find_tests([folder], vocabulary()).tests] == names
    elsewhere = FinderOptions(root=tmp_path / "other")
    found = find_tests([tmp_path / "suite" / "q.rq"], vocabulary(), elsewhere)
    assert [test.name for test in found.tests] == [str(tmp_path / "suite" / "q.rq")]


def test_a_use_of_anything_is_not_lost(tmp_path: Path) -> None:
    [use] = only(find(tmp_path, {"q.rq": "SELECT * { ?s ?p ?o }"})).uses
    assert isinstance(use, TripleUse)
    assert all(isinstance(slot, Slot) and slot.terms is ANYTHING.terms for slot in (use.subject, use.object))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(alphabet="SELECT?x{}<>a\"'%$ \n", max_size=60).map(str.encode)))
def test_no_content_breaks_the_search(tmp_path: Path, content: bytes) -> None:
    assert only(find(tmp_path, {"x.rq": content})).name == "x.rq"
