"""`kgprobe explain` puts axioms into words, with labels. JSON has them in functional syntax as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgprobe.cli import app

ZOO = """
@prefix : <https://example.org/zoo#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:C1 a owl:Class ; rdfs:label "Cat"@en, "Katze"@de ; rdfs:subClassOf :Animal ; owl:disjointWith :C2 .
:C2 a owl:Class ; rdfs:label "guard dog" .
:Animal a owl:Class .
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zoo.ttl").write_text(ZOO, encoding="utf-8")
    clash = ":tom a owl:NamedIndividual, :C1, [ a owl:Class ; owl:intersectionOf ( :C2 :Animal ) ] ."
    (tmp_path / "clash.ttl").write_text(ZOO + clash, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_clashing_axioms_are_explained_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "clash.ttl"]) == 1
    first, *axioms = capsys.readouterr().out.splitlines()
    assert first.startswith("clash.ttl: inconsistent; the smallest set of axioms that is enough (auto:rustdl, ")
    assert sorted(axioms) == ["  Cat DisjointWith 'guard dog'", "  tom Type 'guard dog' and Animal", "  tom Type Cat"]


def test_json_has_words_and_functional_syntax_in_the_same_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "clash.ttl", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert set(zip(found["axioms"], found["words"], strict=True)) == {
        ("DisjointClasses(:C1 :C2)", "Cat DisjointWith 'guard dog'"),
        ("ClassAssertion(:C1 :tom)", "tom Type Cat"),
        ("ClassAssertion(ObjectIntersectionOf(:C2 :Animal) :tom)", "tom Type 'guard dog' and Animal"),
    }


def test_json_has_null_if_nothing_needs_an_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "zoo.ttl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["axioms"], found["words"]) == (None, None)


@pytest.mark.parametrize("lower", ["C1", ":C1", "Cat", "Katze", "https://example.org/zoo#C1"])
def test_a_class_is_named_as_the_words_name_it(capsys: pytest.CaptureFixture[str], lower: str) -> None:
    assert app.run(["explain", "zoo.ttl", "--subclass", lower, "Animal"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["  Cat SubClassOf Animal"]


def test_a_similar_label_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "zoo.ttl", "--subclass", "gard dog", "Animal"]) == 2
    assert capsys.readouterr().err == "kgprobe: error: no class is named 'gard dog' (did you mean 'guard dog'?)\n"


def test_an_ambiguous_label_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("zoo.ttl")
    path.write_text(path.read_text(encoding="utf-8") + ':C3 a owl:Class ; rdfs:label "Cat" .', encoding="utf-8")
    assert app.run(["explain", "zoo.ttl", "--subclass", "Cat", "Animal"]) == 2
    told = "'Cat' is the name of 2 classes (give an IRI, such as https://example.org/zoo#C1)"
    assert capsys.readouterr().err == f"kgprobe: error: {told}\n"


def test_the_answer_is_given_even_without_time_for_the_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "clash.ttl", "--seconds", "0.000001"]) == 1
    told = capsys.readouterr().out
    assert told.startswith("clash.ttl: inconsistent; no explanation found in 1e-06 s (auto:rustdl, 1 check): ")
    assert app.run(["explain", "clash.ttl", "--seconds", "0.000001", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["answer"], found["axioms"]) == ("inconsistent", None)
    assert (found["found"], found["minimal"], found["smallest"]) == (False, False, False)
    assert app.run(["check", "clash.ttl", "--reasoner", "auto", "--seconds", "0.000001"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "clash.ttl: not admissible",
        "  consistency (auto): inconsistent; no explanation found in 1e-06 s",
    ]


def test_a_model_shows_why_a_graph_is_consistent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zoo = tmp_path / "zoo.ofn"
    zoo.write_text(
        "Prefix(:=<urn:zoo#>) Ontology(SubClassOf(:Kitten :Cat) ClassAssertion(:Kitten :tom)\n"
        "SubClassOf(:Kitten ObjectSomeValuesFrom(:chases :Mouse)) SameIndividual(:tom :thomas))"
    )
    assert app.run(["explain", str(zoo), "--model"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "a model, in which only this is true of individuals:",
        "  tom Type Kitten",
        "  tom Type Cat",
        "  tom chases _:thing3",
        "  _:thing3 Type Mouse",
        "  thomas SameAs tom",
    ]
    assert app.run(["explain", str(zoo), "--subclass", "Cat", "Kitten", "--model", "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    shown = {text for text in value["model"] if text.startswith("ClassAssertion")}
    assert any("Cat" in text and text.replace("Cat", "Kitten") not in shown for text in shown)


def test_without_a_finite_model_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    endless = tmp_path / "endless.ofn"
    endless.write_text(
        "Prefix(:=<urn:x#>) Ontology(InverseFunctionalObjectProperty(:p) SubClassOf(:A ObjectSomeValuesFrom(:p :A))\n"
        "ClassAssertion(:A :a) ClassAssertion(ObjectAllValuesFrom(ObjectInverseOf(:p) :C) :a) DisjointClasses(:A :C))"
    )
    assert app.run(["explain", str(endless), "--model"]) == 0
    assert "no model was found" in capsys.readouterr().out
    assert app.run(["explain", str(endless), "--model", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] is None
