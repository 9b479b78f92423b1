"""`kgprobe coverage`, run as a user runs it."""

from __future__ import annotations

import csv
import json
import math
import re
from itertools import groupby
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.formats.files import load
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

EL = Path("tests/mutation/el_ontology.ttl").resolve()
MENU = Path("examples/pizzeria/menu-1.ttl").resolve()
_KEYS = ["operators", "mutations", "group", "mean", "sd", "n", "test", "p", "low", "high"]


def _json(*arguments: str | Path) -> dict[str, Any]:
    done = kgprobe("coverage", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def _raw(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_graphs_alone() -> None:
    found = _json(EL, MENU)
    assert list(found) == ["features", "rows", "never"]
    assert found["features"] == 64
    assert [list(row) for row in found["rows"]] == [_KEYS] * 3
    assert [(row["operators"], row["mutations"], row["group"], row["n"]) for row in found["rows"]] == [
        *((None, 0, 1, 2), (None, 0, 10, 100), (None, 0, 100, 100))
    ]
    occurring: list[set[str]] = []
    for graph in (load(EL).graph, load(MENU).graph):
        terms = [term for triple in graph for term in (triple.subject, triple.predicate, triple.object)]
        iris = {term.value for term in terms if isinstance(term, NamedNode)}
        occurring.append(iris | {term.datatype.value for term in terms if isinstance(term, Literal)})
    never = [each["feature"] for each in found["never"]]
    assert len(set(never)) == len(never) < 64
    assert not set(never) & (occurring[0] | occurring[1])
    listed = Path("src/kgprobe/input_coverage/lists/owl-el.txt").read_text(encoding="utf-8").splitlines()
    assert len([line for line in listed if not line.startswith("#")]) == 64
    both = 64 - len(never)
    assert found["rows"][2]["mean"] == pytest.approx(both / 64)  # a hundred draws miss neither of two
    operators = {each["feature"].rpartition("#")[2]: each["operators"] for each in found["never"]}
    assert operators["Annotation"] == ["AddNestedAnnotation", "AnnotateAnnotation"]
    assert all(operators.values())


def test_mutants_are_compared_with_the_seeds(tmp_path: Path) -> None:
    how = ["--operators", "owl-el,annotations", "--operators", "generic", "--mutations", "0,1,20", "--count", "15"]
    how += ["--groups", "1,4", "--csv", str(tmp_path / "a.csv"), "--mutants", str(tmp_path / "a.jsonl")]
    found = _json(EL, MENU, *how)
    rows = found["rows"]
    assert [(row["operators"], row["mutations"], row["group"], row["n"]) for row in rows] == [
        (name, mutations, group, (2 if mutations == 0 else 15) if group == 1 else 100)
        for name in ("owl-el,annotations", "generic")
        for mutations in (0, 1, 20)
        for group in (1, 4)
    ]
    assert {row["test"] for row in rows if row["mutations"]} == {"welch"}
    assert {row["test"] for row in rows if not row["mutations"]} == {None}

    graphs = _raw(tmp_path / "a.jsonl")
    assert [list(graph) for graph in graphs] == [["mutations", "operators", "features"]] * 62
    key = lambda graph: (graph["operators"], graph["mutations"])  # noqa: E731 - used twice below
    shares = {made: [len(graph["features"]) / 64 for graph in some] for made, some in groupby(graphs, key)}
    assert [len(values) for values in shares.values()] == [2, 15, 15, 15, 15]
    for row in rows:
        if row["group"] == 1:
            values = shares[row["operators"] if row["mutations"] else None, row["mutations"]]
            assert math.isclose(row["mean"], fmean(values))
            assert math.isclose(row["sd"], stdev(values))
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as stream:
        written = list(csv.DictReader(stream))
    assert [list(row) for row in written] == [_KEYS] * len(rows)
    for row, line in zip(rows, written, strict=True):
        assert {name: "" if row[name] is None else str(row[name]) for name in _KEYS} == line


def test_one_seed_and_what_never_varies() -> None:
    rows = _json(EL, "--operators", "owl-el", "--mutations", "5", "--count", "6", "--groups", "1,40")["rows"]
    assert [(row["mutations"], row["group"], row["n"]) for row in rows] == [(5, 1, 6), (5, 40, 100)]
    assert rows[0]["test"] == "one-sample"
    assert rows[0]["low"] < rows[0]["high"]
    # Forty draws of six mutants have nearly always all of them.
    same = _json(EL, "--operators", "AddAnnotation", "--mutations", "3", "--count", "4", "--groups", "1,2")["rows"]
    for row in same:
        assert row["sd"] == 0
        assert [row[name] for name in ("test", "p", "low", "high")] == [None] * 4


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    def run(name: str, seed: str) -> list[bytes]:
        files = [tmp_path / f"{name}.{kind}" for kind in ("csv", "svg", "jsonl")]
        how = ["--operators", "owl-el", "--mutations", "0,3,9", "--count", "6", "--seed", seed]
        options = [str(part) for pair in zip(("--csv", "--plot", "--mutants"), files, strict=True) for part in pair]
        done = kgprobe("coverage", EL, MENU, *how, *options)
        assert done.returncode == 0, done.stderr
        return [done.stdout.encode(), *(file.read_bytes() for file in files)]

    one = run("one", "4")
    assert one == run("two", "4")
    assert all(a != b for a, b in zip(one, run("three", "5"), strict=True))
    svg = one[2].decode()
    for words in ("mutations", "10 graphs together", "owl-el", "features", "standard deviation"):
        assert words in svg


def test_the_mutants_are_those_of_mutate(tmp_path: Path) -> None:
    """Made again from a folder, they have the features that they have when coverage makes them."""
    how = ["--operators", "owl-el", "--mutations", "8", "--count", "7", "--seed", "3"]
    made = kgprobe("mutate", EL, *how, "--out", tmp_path / "mutants")
    assert made.returncode == 0, made.stderr
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    _json(EL, *how, "--mutants", str(here))
    from_folder = _json("--mutants-in", tmp_path / "mutants", "--mutants", there)
    assert here.read_bytes() == there.read_bytes()
    assert [(row["operators"], row["mutations"]) for row in from_folder["rows"]][::3] == [("owl-el", 0), ("owl-el", 8)]
    other = _json(MENU, "--mutants-in", tmp_path / "mutants")  # compared with another graph
    assert other["rows"][0]["mean"] != from_folder["rows"][0]["mean"]
    assert other["rows"][3]["mean"] == from_folder["rows"][3]["mean"]


def test_the_mutants_of_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "menu.ttl").write_bytes(MENU.read_bytes())
    (tmp_path / "el.ttl").write_bytes(EL.read_bytes())
    (tmp_path / "profile.toml").write_text(
        '[graph]\nseeds = ["menu.ttl", "el.ttl"]\n[mutation]\noperators = ["owl-el", "AddInstance"]\nmutations = 4\n'
        'mutants = 5\nseed = 2\n[campaign]\nstore = "run.sqlite"\n'
        '[[systems]]\nname = "yes"\ncommand = ["true", "{graph}"]\n'
    )
    ran = kgprobe("test", tmp_path / "profile.toml")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    raw = tmp_path / "raw.jsonl"
    found = _json("--mutants-in", tmp_path / "run.sqlite", "--mutants", raw)
    assert [(row["operators"], row["mutations"], row["n"]) for row in found["rows"] if row["group"] == 1] == [
        *(("owl-el,AddInstance", 0, 2), ("owl-el,AddInstance", 4, 10))
    ]
    how = ["--operators", "owl-el,AddInstance", "--mutations", "4", "--count", "5", "--seed", "2"]
    for seed, start in (("menu.ttl", 2), ("el.ttl", 7)):
        _json(tmp_path / seed, *how, "--mutants", tmp_path / "alone.jsonl", "--force")
        assert _raw(tmp_path / "alone.jsonl")[1:] == _raw(raw)[start : start + 5]


@pytest.mark.parametrize("features", ["owl-el-full", "suave", "axioms", "pairs", "shapes", f"terms:{EL}"])
def test_other_features(features: str) -> None:
    found = _json(EL, "--features", features, "--operators", "owl-dl", "--mutations", "3", "--count", "4")
    assert found["features"] >= 64 or features in ("axioms", f"terms:{EL}")
    assert all(0 <= row["mean"] <= 1 for row in found["rows"])
    if features.startswith("terms"):
        assert _json(EL, "--features", features)["rows"][0]["mean"] == 1
        assert _json(MENU, "--features", features)["rows"][0]["mean"] == 0
    if features == "axioms":
        brought = {each["feature"]: each["operators"] for each in found["never"]}
        assert all(f"Add{name}" in operators for name, operators in brought.items() if name == "DisjointUnion")


def test_counting_as_in_the_paper() -> None:
    listed = _json(MENU)["rows"][0]["mean"]
    paper = _json(MENU, "--count-as", "paper")
    assert paper["features"] == 64
    assert paper["rows"][0]["mean"] != listed
    terms = {term for triple in load(MENU).graph for term in (triple.subject, triple.predicate, triple.object)}
    spaces = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)
    count = sum(isinstance(term, NamedNode) and term.value.startswith(spaces) for term in terms)
    assert paper["rows"][0]["mean"] == count / 64


def test_text_for_people() -> None:
    done = kgprobe("coverage", EL, "--operators", "owl-el", "--mutations", "0,2", "--count", "3", "--groups", "1")
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("1 seed graph and 3 mutants together cover ")
    assert "operators: owl-el" in rest
    assert any(line.split()[:2] == ["owl:imports", "AddNewImport"] for line in rest)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a graph"),
        (["{el}", "--features", "owl_el"], "did you mean 'owl-el'"),
        (["{el}", "--features", "terms:none.ttl"], "none.ttl"),
        (["{el}", "--features", "{empty}"], "has no features"),
        (["{empty}"], "this graph is empty"),
        (["{el}", "{empty}"], "this graph is empty"),
        (["{folder}"], "has no files"),
        (["none.ttl"], "none.ttl"),
        (["{el}", "--operators", "owl-ell"], "did you mean 'owl-el'"),
        (["{el}", "--operators", "owl-el,"], "is not a list of operators"),
        (["{el}", "--operators", "owl-el", "--operators", "owl-el"], "named twice"),
        (["{el}", "--mutations", "5"], "no operators are named"),
        (["{el}", "--count", "5"], "no operators are named"),
        (["{el}", "--operators", "owl-el", "--count", "0"], "--count"),
        (["{el}", "--operators", "owl-el", "--mutations", "1,x"], "'1,x' is not a list of whole numbers"),
        (["{el}", "--operators", "owl-el", "--mutations", "-1"], "-1 is less than 0"),
        (["{el}", "--operators", "owl-el", "--mutations", ""], "is not a list of whole numbers"),
        (["{el}", "--groups", "0"], "0 is less than 1"),
        (["{el}", "--groups", "10,99999999999"], "99999999999 is more than 100000"),
        (["{el}", "--mutations", "9" * 30], "is not a list of whole numbers"),
        (["{el}", "--groups", "1.5"], "is not a list of whole numbers"),
        (["{el}", "--plot", "plot.pdf"], "plots are written as svg or png"),
        (["{el}", "--plot", "none/plot.svg"], "folder does not exist"),
        (["{el}", "--csv", "same", "--mutants", "same"], "same file"),
        (["{el}", "--csv", "{folder}"], "is a folder"),
        (["{el}", "--count-as", "papers"], "--count-as"),
        (["{el}", "--features", "axioms", "--count-as", "paper"], "only owl-el can be counted as in the paper"),
        (["--mutants-in", "none"], "does not exist"),
        (["--mutants-in", "{folder}"], "has no manifest.jsonl"),
        (["--mutants-in", "{el}"], "el_ontology.ttl: is not a store of a campaign ('kgprobe test PROFILE' creates it)"),
        (["--mutants-in", "{folder}", "--operators", "owl-el"], "--operators is not allowed"),
        (["{lonely}", "--operators", "RemoveImport", "--mutations", "1", "--count", "2"], "no mutant with 1 mutation"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.ttl").write_text("# nothing\n")
    (tmp_path / "lonely.ttl").write_text("<urn:a> <urn:b> <urn:c> .\n")
    places = {
        "el": EL,
        "folder": tmp_path / "folder",
        "empty": tmp_path / "empty.ttl",
        "lonely": tmp_path / "lonely.ttl",
    }
    assert_refused(kgprobe("coverage", *(argument.format(**places) for argument in arguments)), words)


@pytest.mark.parametrize("option", ["--csv", "--mutants", "--plot"])
def test_no_input_is_replaced(option: str, tmp_path: Path) -> None:
    graph = tmp_path / "graph.svg"  # any name, as formats are detected
    graph.write_bytes(MENU.read_bytes())
    features = tmp_path / "features.png"
    features.write_text("owl:Class\n")
    for inputs, path in (
        ([graph], graph),
        ([tmp_path / "." / "graph.svg"], graph),
        ([MENU, "--features", features], features),
        ([MENU, "--features", f"terms:{graph}"], graph),
    ):
        before = path.read_bytes()
        assert_refused(kgprobe("coverage", *inputs, option, path), "is an input file, and must not be replaced")
        assert path.read_bytes() == before


def test_a_mutant_without_steps_is_refused(tmp_path: Path) -> None:
    made = kgprobe("mutate", EL, "--operators", "owl-el", "--count", "2", "--mutations", "2", "--out", tmp_path / "out")
    assert made.returncode == 0, made.stderr
    manifest = tmp_path / "out" / "manifest.jsonl"
    first, *mutants = map(json.loads, manifest.read_text().splitlines())
    mutants[1]["steps"] = []
    manifest.write_text("".join(json.dumps(line) + "\n" for line in (first, *mutants)))
    assert_refused(kgprobe("coverage", "--mutants-in", tmp_path / "out"), "mutant 2 has no steps")


def test_a_missing_extra_is_one_line(tmp_path: Path) -> None:
    for package in ("scipy", "matplotlib"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise ImportError\n")
    without = {"PYTHONPATH": str(tmp_path)}
    mutants = kgprobe("coverage", EL, "--operators", "owl-el", "--count", "3", environment=without)
    assert (mutants.returncode, mutants.stdout) == (3, "")
    assert mutants.stderr == "kgprobe: error: the tests need SciPy (pip install 'kgprobe[learn]')\n"
    plot = kgprobe("coverage", EL, "--plot", tmp_path / "plot.svg", environment=without)
    assert plot.returncode == 3
    assert plot.stderr == "kgprobe: error: a plot needs Matplotlib (pip install 'kgprobe[learn]')\n"
    assert kgprobe("coverage", EL, environment=without).returncode == 0  # the graphs alone need neither


def test_the_examples_of_the_help_text_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = kgprobe("coverage", "--help").stdout.partition("Examples:")[2].splitlines()
    examples = [re.split(r" {2,}", line.strip())[0].split()[1:] for line in shown if line.strip()]
    assert len(examples) == 5
    monkeypatch.chdir(tmp_path)
    (tmp_path / "onto.owl").write_bytes(EL.read_bytes())
    made = kgprobe("mutate", "onto.owl", "--operators", "owl-el", "--count", "3", "--out", "mutants", real=True)
    assert made.returncode == 0, made.stderr
    for example in examples:
        done = kgprobe(*example, real=True)
        assert done.returncode == 0, (example, done.stderr)
        assert done.stdout
    assert (tmp_path / "coverage.svg").stat().st_size > 1000


def test_fewer_mutants_than_asked_for_is_said(tmp_path: Path) -> None:
    (tmp_path / "small.ttl").write_text("<urn:a> <urn:b> <urn:c> , <urn:d> .\n")
    done = kgprobe(
        "coverage", tmp_path / "small.ttl", "--operators", "RemoveTriple", "--mutations", "1", "--count", "9"
    )
    assert done.returncode == 0, done.stderr
    assert "7 mutants are missing" in done.stderr
