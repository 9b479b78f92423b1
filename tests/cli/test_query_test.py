"""`kgprobe query test`: outcomes, exit codes, saved counterexamples, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Done, kgprobe

SOCIAL = Path(__file__).parents[2] / "examples" / "social-network"
ONTOLOGY = SOCIAL / "ontology.ttl"
MATURE = "?user1: sn:age some xsd:integer[>= 40]"


def query_test(number: int | Path, *arguments: str | Path) -> Done:
    path = SOCIAL / "queries" / f"{number}.rq" if isinstance(number, int) else number
    return kgprobe("query", "test", path, "--ontology", ONTOLOGY, *arguments)


def printed(done: Done, code: int) -> dict[str, object]:
    assert done.returncode == code
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("number", "outcome"), [(1, "no-consistent-data"), (2, "no-consistent-data"), (4, "no-answer")]
)
def test_a_query_that_cannot_match_is_proven_dead(number: int, outcome: str) -> None:
    result = printed(query_test(number, "--json"), 1)
    assert (result["outcome"], result["proven"], result["nontrivial"]) == (outcome, True, 0)
    assert result["counterexample"] is None
    assert result["proof"]


@pytest.mark.parametrize("number", [3, 5, 6])
def test_without_a_property_one_answer_passes(number: int) -> None:
    result = printed(query_test(number, "--tests", "20", "--json"), 0)
    assert (result["outcome"], result["tests"], result["proven"]) == ("passed", 20, False)


def test_the_counterexample_is_printed() -> None:
    done = query_test(3, "--expect", MATURE)
    assert done.returncode == 1
    text = done.stdout
    assert "falsified after 1 test" in text
    assert "with 2 triples added to the ontology:" in text
    assert "    new:user1 sn:friend_of sn:antonio ." in text


def test_a_saved_counterexample_is_replayed(tmp_path: Path) -> None:
    query = tmp_path / "3.rq"
    text = (SOCIAL / "queries" / "3.rq").read_text(encoding="utf-8")
    query.write_text(text, encoding="utf-8")
    found = query_test(query, "--expect", MATURE, "--save", tmp_path / "saved", "--json")
    saved = Path(str(printed(found, 1)["saved"]))
    assert saved.is_file()
    assert saved.with_suffix(".json").is_file()
    assert printed(query_test(query, "--replay", tmp_path / "saved", "--json"), 1)["outcome"] == "falsified"
    query.write_text(text.replace("?user2 sn:age", "?user1 sn:age"), encoding="utf-8")
    again = printed(query_test(query, "--replay", tmp_path / "saved", "--json"), 0)
    assert '"failing": false' in json.dumps(again["replayed"])


def test_a_damaged_counterexample_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"kind": "kgprobe query test"}', encoding="utf-8")
    done = query_test(3, "--replay", tmp_path)
    assert done.returncode == 2
    assert "x.json: is not a saved counterexample" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--expect", "?user1: sn:aged some xsd:integer"], "--expect:1:9: the ontology has no sn:aged (did you mean"),
        (["--expect", "?user3: sn:User"], "the query does not return ?user3"),
        (["--expect", "?user1: sn:age some"], "--expect:1:20: expected"),
        (["--expect", "?user1: sx:User"], "the prefix 'sx:'"),
        (["--expect", "sn:User"], "has no variable"),
        (["--expect", "?user1: sn:User sn:Event"], "--expect:1:17: expected the end of the expression"),
        (["--possible"], "--possible is about --expect"),
        (["--related", "?user1 sn:lies ?event"], "the ontology has no"),
        (["--related", "?user1 ?p"], "is not a triple"),
        (["--empty", "--nonempty"], "contradict"),
        (["--python", "nothing"], "is not MODULE:FUNCTION"),
        (["--python", "no_such_module:f"], "cannot be imported"),
    ],
)
def test_bad_properties_are_refused(arguments: list[str], message: str) -> None:
    done = query_test(3, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * { ?x }", "q.rq:1:"),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "this is an update; only queries have answers"),
        ("SELECT * {\n SERVICE <urn:s> { ?x ?y ?z } }", "q.rq:2:2: another system answers SERVICE"),
    ],
)
def test_what_cannot_be_tested_is_refused(text: str, message: str, tmp_path: Path) -> None:
    query = tmp_path / "q.rq"
    query.write_text(text, encoding="utf-8")
    done = query_test(query)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_comment_can_name_the_ontology(tmp_path: Path) -> None:
    query = tmp_path / "q.rq"
    query.write_text(f"# kgprobe: ontology {ONTOLOGY}\nSELECT * {{ ?x sn:likes ?y }}", encoding="utf-8")
    assert kgprobe("query", "test", query, "--tests", "3").returncode == 0
    query.write_text("SELECT * { ?x ?y ?z }", encoding="utf-8")
    done = kgprobe("query", "test", query)
    assert done.returncode == 2
    assert "no ontology is given" in done.stderr


def test_data_that_no_reasoner_decides_are_no_failure(tmp_path: Path) -> None:
    """A rule with a function of its own is beyond the reasoners, so nothing is known about data that match."""
    ontology = tmp_path / "rules.ofn"
    ontology.write_text(
        "Prefix(:=<http://ex.org/>) Ontology(<http://ex.org/>\n"
        "Declaration(Class(:A)) Declaration(Class(:B)) Declaration(ObjectProperty(:p))\n"
        'DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>)) BuiltInAtom(:isPrime "7"))'
        " Head(ClassAtom(:B Variable(<urn:x>)))))"
    )
    query = tmp_path / "query.rq"
    query.write_text("PREFIX : <http://ex.org/> SELECT ?x { ?x a :A ; :p ?y }")
    done = kgprobe("query", "test", query, "--ontology", ontology, "--quiet")
    assert done.returncode == 3
    assert done.stdout.startswith(f"{query}: undecided: no reasoner knows of data that are consistent\n")


def test_a_property_may_name_individuals_of_the_data(tmp_path: Path) -> None:
    data = tmp_path / "data.toml"
    data.write_text('[classes."sn:User"]\nnames = ["sn:luis", "sn:jesus"]\nmost = 2\n')
    query = tmp_path / "query.rq"
    query.write_text("PREFIX sn: <https://example.org/social-network#> SELECT ?u { ?u a sn:User ; sn:age ?a }")
    expected = ("--tests", "20", "--data", data, "--expect")
    assert query_test(query, *expected, "?u: {sn:luis, sn:jesus, sn:antonio}").returncode == 0
    assert query_test(query, *expected, "?u: {sn:luis, sn:antonio}").returncode == 1
    refused = query_test(query, *expected, "?u: {sn:luis, sn:juan}")
    assert refused.returncode == 2
    assert "the ontology has no sn:juan" in refused.stderr


def test_nothing_is_expected_of_a_property_of_which_owl_knows_nothing(tmp_path: Path) -> None:
    ontology = tmp_path / "plain.ttl"
    ontology.write_text(
        "@prefix : <http://ex.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . :p a rdf:Property . :A a owl:Class ."
    )
    query = tmp_path / "query.rq"
    query.write_text("PREFIX : <http://ex.org/> SELECT ?x ?y { ?x a :A ; :p ?y }")
    for option, text in (("--expect", "?x: :p some owl:Thing"), ("--related", "?x :p ?y")):
        done = kgprobe("query", "test", query, "--ontology", ontology, option, text)
        assert done.returncode == 2
        assert "the ontology does not say whether :p is an object property or a data property" in done.stderr
