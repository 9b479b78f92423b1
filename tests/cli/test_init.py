"""`kgprobe init`: a profile that fits a graph, and works unchanged."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.commands import assert_refused, kgprobe
from support.shared_data import needs_shared_data, shared

from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import prepare
from kgprobe.config.schema import schema_text
from kgprobe.config.starter import SCHEMA_FILE, Start, starter_profile
from kgprobe.formats.files import load
from kgprobe.mutation.generator import Generator

PREFIXES = """@prefix : <http://example.org/own#> . @prefix food: <http://example.org/food#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
EL = (
    PREFIXES
    + "<http://example.org/own> a owl:Ontology . :A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class . :a a :A ."
)
DL = EL + ":A rdfs:subClassOf [ a owl:Class ; owl:complementOf :B ] ."
NO_DL = EL + ":A :unknown :B ."
PLAIN = PREFIXES + ":a :knows :b . :b :knows :c . :c :age 5 ."
IMPORTS = EL + "<http://example.org/own> owl:imports <http://example.org/food> . :A rdfs:subClassOf food:Item ."
# More individuals than classes; imports do not count.
FACTS = EL + ":b a :A . :c a :B ."
ROBOT = PREFIXES + (
    "<http://example.org/own> a owl:Ontology ; owl:imports <http://example.org/food> ."
    ":a a food:Cake . :b a food:Cake ; :likes :a . :likes a owl:ObjectProperty . :c a food:Cake ."
)
IMPORTED = PREFIXES + "<http://example.org/food> a owl:Ontology . food:Item a owl:Class . food:Cake a owl:Class ."


def _runs(profile_path: Path) -> None:
    profile = load_profile(profile_path)
    with prepare(profile) as ready:
        [seed] = ready.seeds
        generator = Generator(seed.graph, ready.operators, mutations=2, seed=1, mask=seed.mask, pins=seed.pins)
        assert len(list(generator.mutants(3))) == 3


@pytest.mark.parametrize(
    ("text", "operators", "mutations"),
    [
        (EL, "owl-el", 10),
        (DL, "owl-dl", 10),
        (NO_DL, "owl-dl", 10),
        (PLAIN, "generic", 3),
        (IMPORTS, "owl-dl", 10),
        (FACTS, "abox", 3),
        (ROBOT, "abox", 3),
    ],
)
def test_operators_fit_the_graph(tmp_path: Path, text: str, operators: str, mutations: int) -> None:
    (tmp_path / "g.ttl").write_text(text)
    out = tmp_path / "profiles" / "p.toml"
    done = kgprobe("init", tmp_path / "g.ttl", "--out", out)
    assert done.returncode == 0, done
    assert done.stdout == f"{out} is a profile for {tmp_path / 'g.ttl'}\n"
    profile = load_profile(out)
    assert profile.mutation.operators == (operators,)
    assert profile.mutation.mutations == mutations
    assert [seed.resolve() for seed in profile.graph.seeds] == [tmp_path / "g.ttl"]
    _runs(out)


def test_the_commented_systems_are_valid_once_uncommented(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(PLAIN)
    out = tmp_path / "p.toml"
    kgprobe("init", tmp_path / "g.ttl", "--out", out)
    before, comment, systems = out.read_text().partition("# The systems that 'kgprobe test' runs")
    assert comment
    first, *lines = systems.splitlines()
    used = [line.removeprefix("# ") for line in lines]
    out.write_text(before + comment + "\n".join([first, *used]))
    (tmp_path / "judge.py").touch()
    profile = load_profile(out)
    assert [system.name for system in profile.systems] == ["planner", "inspect"]
    assert profile.oracle.same_as_seed
    assert profile.oracle.runs == 5
    assert profile.oracle.python is not None


def test_imports_are_pinned(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "g.ttl").write_text(IMPORTS)
    (tmp_path / "lib" / "food.ttl").write_text(IMPORTED)
    out = tmp_path / "p.toml"
    done = kgprobe("init", tmp_path / "g.ttl", "--imports", tmp_path / "lib", "--out", out)
    assert (done.returncode, done.told) == (0, "")
    profile = load_profile(out)
    assert profile.graph.imports == (tmp_path / "lib",)
    assert profile.pins.imports
    assert profile.pins.namespaces == ("http://example.org/food#",)
    _runs(out)


def test_the_options_for_reading_the_graph_are_kept(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("a\tb\tc\n")
    out = tmp_path / "p.toml"
    kgprobe("init", tmp_path / "g.txt", "--input-format", "tsv", "--base", "http://example.org/#", "--out", out)
    profile = load_profile(out)
    assert (profile.graph.format, profile.graph.base) == ("tsv", "http://example.org/#")


def test_commented_keys_are_valid_once_uncommented(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(PLAIN)
    text = starter_profile(load(tmp_path / "g.ttl").graph, Start(tmp_path / "g.ttl"), tmp_path)
    keys = ("imports", "format", "catalogs", "shapes", "queries", "files", "namespaces", "weights")
    lines = [
        line.removeprefix("# ") if line.startswith(tuple(f"# {key} =" for key in keys)) else line
        for line in text.split("\n")
    ]
    assert (
        sum(old != new for old, new in zip(lines, text.split("\n"), strict=True)) == len(keys) + 1
    )  # imports are in two tables
    for name in ("catalog-v001.xml", "shapes.ttl", "has-task.rq", "fixed.ttl"):
        (tmp_path / name).touch()
    (tmp_path / "ontologies").mkdir()
    (tmp_path / "p.toml").write_text("\n".join(lines))
    assert load_profile(tmp_path / "p.toml").mutation.weights == {"AddSubClassOf": 3}


def test_nothing_is_replaced_by_accident(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(EL)
    out = tmp_path / "p.toml"
    out.write_text("mine")
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", out), f"{out}: already exists (--force replaces it)")
    assert out.read_text() == "mine"
    assert kgprobe("init", tmp_path / "g.ttl", "--out", out, "--force").returncode == 0
    assert "owl-el" in out.read_text()


def test_invalid_arguments_are_refused(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text("a b")
    assert_refused(kgprobe("init", tmp_path / "none.ttl", "--out", tmp_path / "p.toml"), "none.ttl")
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", tmp_path / "p.toml"), "g.ttl")
    assert_refused(kgprobe("init", "-", "--out", tmp_path / "p.toml"), "standard input")
    (tmp_path / "g.ttl").write_text(EL)
    (tmp_path / "folder.toml").mkdir()
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", tmp_path / "folder.toml"), "is a folder")
    assert_refused(
        kgprobe("init", tmp_path / "g.ttl", "--out", tmp_path / "p.txt"), "p.txt: the name of a profile ends with .toml"
    )
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", ""), "the name of a profile ends with .toml")
    long = tmp_path / f"{'x' * 5000}.toml"
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", long), "File name too long")
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", tmp_path / "g.ttl" / "p.toml"), "cannot be written")
    assert not (tmp_path / "p.toml").exists()


@needs_shared_data
def test_a_real_graph(tmp_path: Path) -> None:
    assert kgprobe("init", shared("pipes/pipes.ttl"), "--out", tmp_path / "p.toml").returncode == 0
    _runs(tmp_path / "p.toml")


# -- for editors -------------------------------------------------------------------------------------------------------


def test_the_first_line_names_a_schema_that_exists_and_fits(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(EL)
    out = tmp_path / "sub" / "p.toml"
    assert kgprobe("init", tmp_path / "g.ttl", "--out", out).returncode == 0
    directive, name = out.read_text().splitlines()[0].split()
    assert directive == "#:schema"
    schema = json.loads((out.parent / name).read_text())
    assert schema == json.loads(schema_text())
    Draft202012Validator(schema).validate(tomllib.loads(out.read_text()))


def test_an_older_schema_is_replaced_but_not_a_file_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(EL)
    schema = tmp_path / SCHEMA_FILE
    schema.write_text('{"mine": true}')
    out = tmp_path / "p.toml"
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", out), f"{schema}: already exists")
    assert not out.exists()
    schema.write_text('{"$id": "urn:kgprobe:profile"}')
    assert kgprobe("init", tmp_path / "g.ttl", "--out", out).returncode == 0
    assert schema.read_text() == schema_text()


# -- masks -------------------------------------------------------------------------------------------------------------


def test_a_mask_from_axioms(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(DL + ":A owl:disjointWith :C . :C a owl:Class ; rdfs:subClassOf :B .")
    out = tmp_path / "p.toml"
    done = kgprobe("init", tmp_path / "g.ttl", "--out", out, "--mask-from-axioms")
    assert done.returncode == 0, done
    mask = tmp_path / "p-mask.ttl"
    assert done.stdout.splitlines()[0] == f"{mask} is a mask with 1 shape"
    assert "note: not in the mask: axioms that only imply facts and forbid nothing: 2" in done.stderr
    assert "note: not in the mask: axioms that the graph itself does not satisfy: 1" in done.stderr
    profile = load_profile(out)
    assert profile.mask.shapes == (mask,)
    with prepare(profile) as ready:
        assert ready.seeds[0].mask.admits(ready.seeds[0].graph)
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", out, "--mask-from-axioms"), "already exists")
    out.unlink()
    assert_refused(kgprobe("init", tmp_path / "g.ttl", "--out", out, "--mask-from-axioms"), f"{mask}: already exists")
    assert not out.exists()


def test_a_graph_without_axioms_gets_no_mask(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(PLAIN)
    out = tmp_path / "p.toml"
    done = kgprobe("init", tmp_path / "g.ttl", "--out", out, "--mask-from-axioms")
    assert done.returncode == 0
    assert "no mask was written" in done.stderr
    assert load_profile(out).mask.shapes == ()
