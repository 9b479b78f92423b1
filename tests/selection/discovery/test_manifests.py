"""W3C test manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.entailment.rules import Regime

from .finding import check_mentions, find, only, terms, write

HEAD = """@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
@prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> .
@prefix : <#> .
"""
MANIFEST = (
    HEAD
    + """<> a mf:Manifest ; mf:entries ( :first :second [ mf:name "third one" ; mf:action <queries/c.rq> ] ) .
:first a mf:QueryEvaluationTest ; mf:name "first" ;
  mf:action [ qt:query <queries/a.rq> ; qt:data <data.ttl> ] ; mf:result <a.srx> .
<http://example.org/tests#second> mf:name "not listed" .
:second mf:action [ qt:query <queries/b.rq> ] .
"""
)
QUERIES = {
    "queries/a.rq": "SELECT ?x { ?x a <http://example.org/pizza#Pizza> }",
    "queries/b.rq": "# kgprobe: regime=rdfs\nSELECT ?x { ?x a <http://example.org/pizza#Food> }",
    "queries/c.rq": "ASK { ?x a <http://example.org/pizza#Mozzarella> }",
    "queries/d.rq": "ASK {}",
    "a.srx": "",
    "data.ttl": "",
}


def test_one_test_for_each_entry_and_none_for_its_query(tmp_path: Path) -> None:
    suite = find(tmp_path, {"manifest.ttl": MANIFEST, **QUERIES})
    found = {test.name: test for test in suite.tests}
    assert list(found) == ["manifest.ttl#first", "manifest.ttl#second", "manifest.ttl#third one", "queries/d.rq"]
    assert [test.language.name for test in suite.tests] == ["manifest"] * 3 + ["sparql"]
    assert terms(found["manifest.ttl#first"]) == {"type", "Pizza"}
    assert terms(found["manifest.ttl#second"]) == {"type", "Food"}
    assert terms(found["manifest.ttl#third one"]) == {"type", "Mozzarella"}
    assert found["manifest.ttl#first"].expected == tmp_path.resolve() / "a.srx"
    assert found["manifest.ttl#first"].file == tmp_path.resolve() / "queries" / "a.rq"
    assert found["manifest.ttl#second"].regime is Regime.RDFS
    assert found["manifest.ttl#first"].queries == (QUERIES["queries/a.rq"],)
    check_mentions(suite)


def test_includes_are_followed_once(tmp_path: Path) -> None:
    files = {
        "manifest.ttl": HEAD + "<> a mf:Manifest ; mf:include ( <sub/manifest.ttl> <manifest.ttl> <missing.ttl> ) .",
        "sub/manifest.ttl": HEAD
        + "<> a mf:Manifest ; mf:include <../manifest.ttl> ; mf:entries ( <#x> ) . <#x> mf:action <x.rq> .",
        "sub/x.rq": "ASK { <http://example.org/pizza#Food> ?p ?o }",
    }
    suite = find(tmp_path, files)
    assert [test.name for test in suite.tests] == ["sub/manifest.ttl#x"]
    assert terms(suite.tests[0]) == {"Food"}


def test_a_base_elsewhere_means_the_folder_of_the_manifest(tmp_path: Path) -> None:
    manifest = "@base <https://w3c.example/tests/manifest> .\n" + HEAD.replace("<#>", "<https://w3c.example/tests/m#>")
    manifest += "<> a mf:Manifest ; mf:entries ( :x ) . :x mf:action [ qt:query <x.rq> ] ."
    test = only(find(tmp_path, {"manifest.ttl": manifest, "x.rq": "ASK { <http://example.org/pizza#Food> ?p ?o }"}))
    assert test.name == "https://w3c.example/tests/m#x"
    assert terms(test) == {"Food"}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("mf:action [ qt:query <missing.rq> ]", "its query is not a local file"),
        ("mf:action [ qt:query <http://example.org/x.rq> ]", "its query is not a local file"),
        ("mf:action [ qt:query <file:///etc/hostname> ]", "its query is not a local file"),
        ("mf:action [ qt:data <data.ttl> ]", "its entry names no query"),
        ("mf:action <data.ttl>", "its entry names no query"),
        ('mf:name "nothing"', "its entry names no query"),
        ("mf:action <bad.rq>", "its query is not UTF-8 text"),
    ],
)
def test_tests_with_unknown_uses_are_always_selected(tmp_path: Path, action: str, reason: str) -> None:
    manifest = f"{HEAD}<> a mf:Manifest ; mf:entries ( :x ) . :x {action} ."
    suite = find(tmp_path, {"manifest.ttl": manifest, "data.ttl": "", "bad.rq": b"\xff"})
    test = next(test for test in suite.tests if test.language.name == "manifest")
    [told] = test.unseen
    assert told.startswith(f"cannot see what this test uses: {reason}")


@pytest.mark.parametrize(
    "text",
    ["<> a mf:Manifest ; mf:entries ( :x", "<> a mf:Manifest ; mf:entries :cell . :cell <http://x> 1 .", "\xff"],
)
def test_a_broken_manifest_is_noted_or_its_tests_are_always_selected(tmp_path: Path, text: str) -> None:
    suite = find(tmp_path, {"manifest.ttl": (HEAD + text).encode("latin-1")})
    assert suite.notes or all(test.unseen for test in suite.tests)


def test_a_cyclic_list_is_noted(tmp_path: Path) -> None:
    rdf = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
    text = HEAD + rdf + "<> a mf:Manifest ; mf:entries :c . :c rdf:first :x ; rdf:rest :c ."
    suite = find(tmp_path, {"manifest.ttl": text})
    assert suite.tests == ()
    assert "is cyclic" in suite.notes[0]


def test_other_turtle_files_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, {"data.ttl": "this is no Turtle"})
    assert find(tmp_path, {"q.rq": "ASK {}"}).notes == ()
