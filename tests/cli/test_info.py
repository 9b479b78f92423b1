"""`kgprobe info`: the contents of a graph, whatever the name of its file."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.commands import assert_refused, kgprobe
from support.shared_data import graph_files, needs_shared_data, shared

from kgprobe.cli.app import run

PIZZA = """@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
<http://example.org/o> a owl:Ontology ; owl:imports <http://example.org/other> .
:Pizza a owl:Class . :hasTopping a owl:ObjectProperty . :price a owl:DatatypeProperty .
:margherita a :Pizza , owl:NamedIndividual ; :price 5 .
"""
COUNTS = ("triples", "classes", "object_properties", "data_properties", "annotation_properties", "individuals")
# Files whose extension names another format.
UNEXPECTED = {
    "reasoner-bugs/P2/ont_5.owl": "turtle",
    "reasoner-bugs/H1/minimal.owl": "functional",
    "reasoner-bugs/H1/ont_107.owl": "functional",
    "reasoner-bugs/P1/ont_1001.owl": "functional",
    "reasoner-bugs/P2/ont_5.owl.minimal.manual.owl": "functional",
    "reasoner-bugs/P2/ont_5.owl.minimal.owl": "functional",
    "rdfmutate-configs/elMutations/ore_ont_155.owl": "functional",
}
EMPTY = ["geo/mask0.ttl", "suave/masks/mask0.ttl"]
BROKEN = 6  # tests/formats/test_round_trips.py lists them


def test_a_table_for_people(tmp_path: Path) -> None:
    (tmp_path / "pizza.owl").write_text(PIZZA)
    done = kgprobe("info", tmp_path / "pizza.owl")
    assert done.returncode == 0
    assert done.stderr == (
        f"kgprobe: warning: {tmp_path}/pizza.owl: imports <http://example.org/other>,"
        " which was not found and is left out\n"
    )
    assert done.stdout.startswith(
        f"{tmp_path}/pizza.owl: Turtle\n"
        "  triples                        8\n"
        "  classes                        1\n"
        "  object properties              1\n"
        "  data properties                1\n"
        "  annotation properties          0\n"
        "  individuals                    1\n"
    )
    assert done.stdout.endswith("  imports http://example.org/other\n")


def test_format_sets_the_output_and_input_format_the_input(tmp_path: Path) -> None:
    path = tmp_path / "pizza.txt"
    path.write_text(PIZZA)
    printed = [
        kgprobe("info", path, *options).stdout
        for options in (["--json"], ["--format", "json"], ["--format", "json", "--input-format", "ttl"])
    ]
    assert len(set(printed)) == 1
    assert json.loads(printed[0])["format"] == "turtle"
    assert_refused(kgprobe("info", path, "--input-format", "rdfxml"), "not XML")
    assert_refused(kgprobe("info", path, "--format", "rdfxml"), "not XML")  # the old spelling
    assert_refused(kgprobe("info", path, "--format", "tutle"), "no format named 'tutle' (did you mean 'turtle'?)")


@pytest.mark.parametrize("arguments", [["-q", "info", "{}"], ["info", "{}", "--quiet"]])
def test_quiet_keeps_results_and_errors(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pizza.owl").write_text(PIZZA)
    assert run([each.format(tmp_path / "pizza.owl") for each in arguments]) == 0
    printed = capsys.readouterr()
    assert (printed.err, printed.out.count("imports http://example.org/other")) == ("", 1)
    assert run([each.format(tmp_path / "nowhere.owl") for each in arguments]) == 2
    assert "nowhere.owl: no such file" in capsys.readouterr().err


def test_json_for_machines(tmp_path: Path) -> None:
    (tmp_path / "pizza.ttl.gz").write_bytes(gzip.compress(PIZZA.encode()))
    done = kgprobe("info", tmp_path / "pizza.ttl.gz", "--json")
    assert done.returncode == 0
    expected = {
        "name": str(tmp_path / "pizza.ttl.gz"),
        "format": "turtle",
        "triples": 8,
        "classes": 1,
        "object_properties": 1,
        "data_properties": 1,
        "annotation_properties": 0,
        "individuals": 1,
        "imports": ["http://example.org/other"],
    }
    found = json.loads(done.stdout)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(packed: bool) -> None:
    done = kgprobe("info", "-", "--json", stdin=gzip.compress(PIZZA.encode()) if packed else PIZZA.encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["name"] == "<stdin>"


def test_an_import_that_is_not_found_can_be_an_error(tmp_path: Path) -> None:
    (tmp_path / "pizza.ttl").write_text(PIZZA)
    done = kgprobe("info", tmp_path / "pizza.ttl", "--strict-imports")
    assert_refused(done, "imports <http://example.org/other>, which was not found (name its folder with --imports")


def test_imports_are_counted(tmp_path: Path) -> None:
    (tmp_path / "pizza.ttl").write_text(PIZZA)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "other.ofn").write_text(
        "Ontology(<http://example.org/other> Declaration(Class(<http://example.org/Cake>)))"
    )
    done = kgprobe("info", tmp_path / "pizza.ttl", "--imports", tmp_path / "lib", "--strict-imports", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["classes"] == 2


def test_a_catalog_is_used(tmp_path: Path) -> None:
    (tmp_path / "pizza.ttl").write_text(PIZZA)
    (tmp_path / "x.ttl").write_text("<urn:a> <urn:b> 1 .")
    (tmp_path / "catalog.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri name="http://example.org/other" uri="x.ttl"/></catalog>'
    )
    done = kgprobe("info", tmp_path / "pizza.ttl", "--catalog", tmp_path / "catalog.xml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["triples"] == 9


def info(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The output of the command, run in this process to save the half second that a new one takes to start."""
    code = run(["info", "--json", str(path)])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    harmless = ("kgprobe: warning: ", "kgprobe: note: ")
    assert [line for line in printed.err.splitlines() if not line.startswith(harmless)] == []
    found = json.loads(printed.out)
    assert isinstance(found, dict)
    return found


def expected_format(name: str) -> str:
    if name in UNEXPECTED:
        return UNEXPECTED[name]
    endings = {".ttl": "turtle", ".obo.gz": "obo", ".tsv.gz": "tsv", ".owl": "rdfxml"}
    return "functional" if name.startswith("ore/") else next(f for e, f in endings.items() if name.endswith(e))


@needs_shared_data
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.thorough) for part in range(1, 8))])
def test_every_real_graph(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ("rdfmutate-configs/rules/", "rdfmutate-configs/shapes/")
    for name in [name for name in graph_files() if not name.startswith(broken)][part::8]:
        found = info(shared(name), capsys)
        assert found["format"] == expected_format(name), name
        assert [found[key] for key in COUNTS if not isinstance(found[key], int) or found[key] < 0] == []
        assert found["triples"] > 0 or name in EMPTY, name
        if name.startswith("ore/"):
            assert found["classes"] > 0, name


@needs_shared_data
def test_real_graphs_by_format() -> None:
    assert Counter(map(expected_format, graph_files())) == {
        "turtle": 181 + BROKEN,
        "functional": 129,
        "obo": 4,
        "rdfxml": 4,
        "tsv": 2,
    }
