"""`kgprobe reasoners` and `kgprobe explain`: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgprobe.cli import explain, reasoners
from kgprobe.errors import InputError, UnavailableError

from .reasoner_fixtures import needs

CLASH = """
@prefix : <https://example.org/zoo#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat a owl:Class ; rdfs:subClassOf :Animal ; owl:disjointWith :Dog .
:Dog a owl:Class ; rdfs:subClassOf :Animal .
:Animal a owl:Class .
"""


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    file = tmp_path / "zoo.ttl"
    file.write_text(CLASH, encoding="utf-8")
    return file


def test_reasoners_lists_all() -> None:
    done = CliRunner().invoke(reasoners.command, [])
    assert done.exit_code == 0
    names = [line.split()[0] for line in done.output.splitlines()]
    assert names == ["rustdl", "pyHermiT", "HermiT", "Openllet", "ELK", "JFact", "Konclude", "auto"]
    assert all("usable" in line or "install: " in line for line in done.output.splitlines())


def test_reasoners_as_json() -> None:
    done = CliRunner().invoke(reasoners.command, ["--json", "--only", "rustdl"])
    (found,) = json.loads(done.output)
    assert found["name"] == "rustdl"
    assert found["usable"] is (found["version"] is not None)


@needs("rustdl")
def test_selftest_prints_the_score() -> None:
    done = CliRunner().invoke(reasoners.command, ["--selftest", "--only", "rustdl"])
    assert done.exit_code == 0
    heading, row = done.output.splitlines()
    assert heading.endswith("of 918 cases")
    name, right, wrong, undecided, _ = row.split()
    assert name == "rustdl"
    assert int(right) + int(wrong) + int(undecided) == 918
    assert int(right) > 800


@needs("rustdl")
def test_explain_a_consistent_graph(zoo: Path) -> None:
    done = CliRunner().invoke(explain.command, [str(zoo)], standalone_mode=False)
    assert done.return_value == 0
    assert "zoo.ttl: consistent (auto:model, " in done.output


@needs("rustdl")
def test_explain_an_inconsistency(zoo: Path) -> None:
    with zoo.open("a", encoding="utf-8") as stream:
        stream.write(":tom a :Cat, :Dog, owl:NamedIndividual .")
    done = CliRunner().invoke(explain.command, [str(zoo)], standalone_mode=False)
    assert done.return_value == 1
    first, *axioms = done.output.splitlines()
    assert "zoo.ttl: inconsistent; the smallest set of axioms that is enough (auto:rustdl, " in first
    assert sorted(axioms) == ["  Cat DisjointWith Dog", "  tom Type Cat", "  tom Type Dog"]


@needs("rustdl")
@pytest.mark.parametrize("lower", ["Cat", ":Cat", "https://example.org/zoo#Cat", "<https://example.org/zoo#Cat>"])
def test_explain_a_subclass(zoo: Path, lower: str) -> None:
    arguments = [str(zoo), "--subclass", lower, "Animal", "--json"]
    done = CliRunner().invoke(explain.command, arguments, standalone_mode=False)
    assert done.return_value == 0
    assert json.loads(done.output)["axioms"] == ["SubClassOf(:Cat :Animal)"]


@needs("rustdl")
def test_explain_a_subclass_that_does_not_follow(zoo: Path) -> None:
    done = CliRunner().invoke(explain.command, [str(zoo), "--subclass", "Animal", "Cat"], standalone_mode=False)
    assert done.return_value == 1
    assert "it does not follow" in done.output


@needs("rustdl")
def test_explain_an_undecided_question(zoo: Path) -> None:
    with zoo.open("a", encoding="utf-8") as stream:
        stream.write(':age a owl:DatatypeProperty . :tom :age "x"^^<http://www.w3.org/2001/XMLSchema#integer> .')
    done = CliRunner().invoke(explain.command, [str(zoo)], standalone_mode=False)
    assert isinstance(done.exception, UnavailableError)
    assert "undecided: rustdl may miss conclusions from an ill-typed literal" in str(done.exception)


def test_explain_an_unknown_class(zoo: Path) -> None:
    done = CliRunner().invoke(explain.command, [str(zoo), "--subclass", "Cta", "Animal"], standalone_mode=False)
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == "no class is named 'Cta' (did you mean 'Cat'?)"
