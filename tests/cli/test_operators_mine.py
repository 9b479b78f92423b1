"""`kgprobe operators mine`: rules on the screen and in files."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store, parse
from support.commands import assert_refused, kgprobe

from kgprobe.rdf.terms import RDF, SH, Literal, NamedNode, Triple

BASE = "http://example.org/"
_ONTOLOGY = Path(__file__).resolve().parents[2] / "docs" / "files" / "social-network" / "ontology.ttl"
# Each city is in one country, and everyone but x0 is a citizen of the country of birth.
FACTS = "".join(
    f"x{n}\tborn_in\tcity{n % 6}\ncity{n % 6}\tin\tcountry{n % 3}\n" + (f"x{n}\tcitizen\tcountry{n % 3}\n" if n else "")
    for n in range(63)
)
RULE = (
    f"?a <{BASE}born_in> ?c",
    f"?c <{BASE}in> ?b",
    f"?a <{BASE}citizen> ?b",
)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.tsv"
    path.write_text(FACTS)
    return path


def test_the_best_rules_on_the_screen(facts: Path) -> None:
    done = kgprobe("operators", "mine", facts, "--base", BASE)
    assert done.returncode == 0
    assert not done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1 rule in 1 graph"
    assert lines[1].split() == ["confidence", "support", "body", "head", "rule"]
    assert lines[2].split(maxsplit=4) == ["0.984", "62", "63", "62", f"{RULE[0]}, {RULE[1]} => {RULE[2]}"]


def test_a_folder_stands_for_the_graphs_in_it(facts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "graphs"
    folder.mkdir()
    for name in ("one.tsv", "two.tsv"):
        shutil.copy(facts, folder / name)
    done = kgprobe("operators", "mine", folder, "--base", BASE)
    assert done.stdout.splitlines()[0] == "1 rule in 2 graphs"
    (tmp_path / "empty").mkdir()
    assert_refused(kgprobe("operators", "mine", tmp_path / "empty"), "empty: has no files")


def test_no_input_is_replaced(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    shutil.copy(_ONTOLOGY, graph)
    done = kgprobe("operators", "mine", graph, "--min-body", "5", "--min-head", "5", "--rules", graph)
    assert_refused(done, "is an input file, and must not be replaced")
    assert graph.read_bytes() == _ONTOLOGY.read_bytes()


def test_json_has_all_counts(facts: Path, tmp_path: Path) -> None:
    printed = kgprobe("operators", "mine", facts, "--base", BASE, "--json")
    assert printed.returncode == 0
    found = json.loads(printed.stdout)
    assert list(found) == ["rules", "complete", "not_explored"]
    assert found["complete"] is True
    assert found["not_explored"] == []
    [rule] = found["rules"]
    assert list(rule) == [
        *("body", "head", "support", "body_size", "head_size", "confidence", "pca_body_size", "pca_confidence"),
        "examples",
    ]
    assert rule["body"] == [RULE[0].split(), RULE[1].split()]
    assert rule["head"] == RULE[2].split()
    assert [rule[count] for count in ("support", "body_size", "head_size", "pca_body_size")] == [62, 63, 62, 62]
    assert rule["confidence"] == 62 / 63
    assert rule["pca_confidence"] == 1.0
    assert len(rule["examples"]) == 3
    assert all(list(example) == ["?a", "?b", "?c"] for example in rule["examples"])
    file = tmp_path / "rules.json"
    assert kgprobe("operators", "mine", facts, "--base", BASE, "--rules", file).returncode == 0
    assert file.read_text() == printed.stdout, "the same bytes"


def test_csv_has_a_row_for_each_rule(facts: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.csv"
    done = kgprobe("operators", "mine", facts, "--base", BASE, "--rules", file)
    assert done.stdout == f"1 rule in 1 graph\nwritten to {file}\n"
    [row] = csv.DictReader(file.read_text().splitlines())
    assert row["body"] == f"{RULE[0]} . {RULE[1]}"
    assert row["head"] == RULE[2]
    assert (row["support"], row["body_size"], row["pca_confidence"]) == ("62", "63", "1.0")


def test_shacl_rules_add_what_the_rules_say(facts: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.ttl"
    assert kgprobe("operators", "mine", facts, "--base", BASE, "--rules", file).returncode == 0
    triples = {each.triple for each in parse(file.read_bytes(), format=RdfFormat.TURTLE)}
    [shape] = [each.subject for each in triples if each.object == SH.NodeShape]
    [rule] = [each.object for each in triples if each.predicate == SH.rule]
    assert Triple(shape, SH.targetSubjectsOf, NamedNode(BASE + "born_in")) in triples
    assert Triple(rule, RDF.type, SH.SPARQLRule) in triples
    [construct] = [each.object for each in triples if each.predicate == SH.construct]
    assert isinstance(construct, Literal)
    store = Store()
    rows = [line.split("\t") for line in FACTS.splitlines()]
    store.update("INSERT DATA { " + " . ".join(" ".join(f"<{BASE}{part}>" for part in row) for row in rows) + " }")
    # $this is another way to write ?this.
    made = {str(triple) for triple in store.query(construct.value)}  # type: ignore[union-attr]
    assert len(made) == 63
    assert f"<{BASE}x0> <{BASE}citizen> <{BASE}country0>" in made


def test_pyshacl_applies_a_rule(facts: Path, tmp_path: Path) -> None:
    rdflib = pytest.importorskip("rdflib")
    pyshacl = pytest.importorskip("pyshacl")
    file = tmp_path / "rules.ttl"
    assert kgprobe("operators", "mine", facts, "--base", BASE, "--rules", file).returncode == 0
    data = rdflib.Graph()
    for line in FACTS.splitlines():
        data.add(tuple(rdflib.URIRef(BASE + part) for part in line.split("\t")))
    missing = (rdflib.URIRef(BASE + "x0"), rdflib.URIRef(BASE + "citizen"), rdflib.URIRef(BASE + "country0"))
    assert missing not in data
    assert missing in pyshacl.shacl_rules(data, shacl_graph=rdflib.Graph().parse(file), advanced=True)


def test_several_graphs_give_the_same_bytes(facts: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_text(FACTS.replace("x", "y"))
    command = ("operators", "mine", facts, other, "--base", BASE, "--json")
    first = kgprobe(*command)
    [rule] = json.loads(first.stdout)["rules"]
    assert (rule["support"], rule["body_size"]) == (124, 126)
    assert kgprobe(*command).stdout == first.stdout


def test_nothing_found_is_said(facts: Path) -> None:
    done = kgprobe("operators", "mine", facts, "--base", BASE, "--min-body", "1000")
    assert done.returncode == 0
    assert done.stdout == "0 rules in 1 graph\n"
    assert "warning: no rules found: try smaller values of --min-body" in done.stderr
    stopped = kgprobe("operators", "mine", facts, "--base", BASE, "--memory-mb", "1")
    assert "warning: not complete: " in stopped.stderr
    assert stopped.stderr.endswith("warning: no rules found within the limits\n")


def test_a_search_that_was_stopped_says_so(facts: Path) -> None:
    done = kgprobe("operators", "mine", facts, "--base", BASE, "--time-limit", "1e-9", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["complete"] is False
    assert found["not_explored"]
    assert "warning: not complete: " in done.stderr
    assert "the time limit of 1e-09 s was reached" in done.stderr


def test_too_little_memory_is_said(facts: Path) -> None:
    done = kgprobe("operators", "mine", facts, "--base", BASE, "--memory-mb", "1", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["complete"] is False
    assert "the memory limit of 1 MB was reached" in done.stderr


def test_bad_input_is_refused(facts: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.ttl").write_text("")
    mine = ("operators", "mine")
    assert_refused(kgprobe(*mine, tmp_path / "empty.ttl"), "empty.ttl is empty")
    assert_refused(kgprobe(*mine, tmp_path / "missing.ttl"), "missing.ttl")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--rules", tmp_path / "rules.jsn"), "did you mean '.json'?")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--rules", tmp_path / "no" / "rules.json"), "its folder")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--keep-profile", "el"), "name a folder with --out")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--max-atoms", "4"), "--max-atoms")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--min-confidence", "80"), "--min-confidence")
    assert_refused(kgprobe(*mine, facts, "--base", BASE, "--constants", "some"), "--constants")
    assert_refused(kgprobe(*mine), "GRAPH")


def test_the_examples_of_the_help_work(facts: Path, tmp_path: Path) -> None:
    """All but those with --out, which tests of operators run."""
    shutil.copy(_ONTOLOGY, tmp_path / "pizza.owl")
    lines = kgprobe("operators", "mine", "--help").stdout.splitlines()
    commands = [
        line.split("   ")[0].split() for line in (line.strip() for line in lines) if line.startswith("kgprobe ")
    ]
    assert len(commands) == 4
    ran = 0
    for _, *arguments in commands:
        if "--out" not in arguments:
            places = {"pizza.owl": tmp_path / "pizza.owl", "facts.tsv": facts, "rules.json": tmp_path / "rules.json"}
            done = kgprobe(*(places.get(part, part) for part in arguments))
            assert done.returncode == 0, done.stderr
            ran += 1
    assert ran == 2
    assert json.loads((tmp_path / "rules.json").read_text())["complete"] is True
