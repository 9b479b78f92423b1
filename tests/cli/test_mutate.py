"""`kgprobe mutate` and `kgprobe operators`, run as a user runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe

INSPECTION = Path("src/kgprobe/demo/inspection.ttl").resolve()
SHAPES = Path("src/kgprobe/demo/inspection-shapes.ttl").resolve()


def test_mutants_are_written_and_replayed(tmp_path: Path) -> None:
    seed = Path(shutil.copy(INSPECTION, tmp_path / "robot.ttl"))
    arguments = ["--operators", "abox", "--mutations", "4", "--count", "6", "--seed", "42", "--mask", str(SHAPES)]
    one = kgprobe("mutate", str(seed), *arguments, "--out", str(tmp_path / "one"), "--json")
    assert one.returncode == 0, one.stderr
    [outcome] = json.loads(one.stdout)["seeds"]
    assert outcome["mutants"] == outcome["asked"] == 6
    assert outcome["attempts"] == 6 + outcome["duplicates"] + outcome["stuck"] + sum(outcome["rejected"].values())
    assert sum(outcome["operators"].values()) == 24

    other = kgprobe("mutate", str(seed), *arguments, "--out", str(tmp_path / "two"))
    assert other.returncode == 0
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["manifest.jsonl", *(f"mutant-000{n}.ttl" for n in range(1, 7))]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

    moved = shutil.move(tmp_path / "one", tmp_path / "moved")
    again = kgprobe("mutate", "--replay", f"{moved}/manifest.jsonl#3", "--out", str(tmp_path / "again.ttl"))
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.ttl").read_bytes() == (tmp_path / "two" / "mutant-0003.ttl").read_bytes()
    other_one = ["mutate", "--replay", f"{moved}/manifest.jsonl#4", "--out", str(tmp_path / "again.ttl")]
    assert_refused(kgprobe(*other_one), "already exists", "--force replaces it")
    assert kgprobe(*other_one, "--force").returncode == 0
    assert (tmp_path / "again.ttl").read_bytes() == (tmp_path / "two" / "mutant-0004.ttl").read_bytes()

    checked = kgprobe("check", str(tmp_path / "again.ttl"), "--mask", str(SHAPES))
    assert checked.returncode == 0, checked.stdout

    with seed.open("a") as stream:
        stream.write("# changed\n")
    assert_refused(kgprobe("mutate", "--replay", f"{moved}/manifest.jsonl#3"), "has changed since")
    seed.unlink()
    assert_refused(kgprobe("mutate", "--replay", f"{moved}/manifest.jsonl#3"), "does not exist")


def test_options_override_the_profile(tmp_path: Path) -> None:
    shutil.copy(INSPECTION, tmp_path / "robot.ttl")
    started = kgprobe("init", str(tmp_path / "robot.ttl"), "--out", str(tmp_path / "profile.toml"))
    assert started.returncode == 0, started.stderr
    run = kgprobe("mutate", str(tmp_path / "profile.toml"), "--count", "2", "--write", "updates", "--mutations", "1")
    assert run.returncode == 0, run.stderr
    assert sorted(path.name for path in (tmp_path / "mutants").iterdir()) == [
        "manifest.jsonl",
        "mutant-0001.ru",
        "mutant-0002.ru",
    ]
    assert_refused(kgprobe("mutate", str(tmp_path / "profile.toml")), "this folder already contains mutants")
    forced = kgprobe("mutate", str(tmp_path / "profile.toml"), "--count", "1", "--force")
    assert forced.returncode == 0
    assert not (tmp_path / "mutants" / "mutant-0002.ru").exists()


def test_a_mask_that_admits_nothing_is_reported(tmp_path: Path) -> None:
    (tmp_path / "never.rq").write_text("ASK { FILTER(false) }")
    arguments = ["--operators", "abox", "--mutations", "1", "--attempts", "9", "--mask", str(tmp_path / "never.rq")]
    run = kgprobe("mutate", str(INSPECTION), *arguments, "--out", str(tmp_path / "out"))
    assert run.returncode == 1
    assert "0 of 100 mutants" in run.stdout
    assert "never.rq: 9" in run.stdout
    assert "warning" in run.stderr


def test_each_of_several_seeds_gets_a_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copy(INSPECTION, tmp_path / f"{name}.ttl")
    (tmp_path / "p.toml").write_text(
        'graph.seeds = ["one.ttl", "two.ttl"]\nmutation.operators = ["generic"]\nmutation.mutants = 2\n'
        'mutation.mutations = 2\noutput.folder = "out"\n'
    )
    run = kgprobe("mutate", str(tmp_path / "p.toml"))
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out" / "one" / "manifest.jsonl").is_file()
    assert (tmp_path / "out" / "two" / "manifest.jsonl").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a profile or a graph"),
        ([str(INSPECTION)], "no operators are named"),
        (["nowhere.ttl", "--operators", "generic"], "nowhere.ttl: no such file"),
        (["nowhere.toml"], "nowhere.toml"),
        ([str(INSPECTION), "--operators", "owl-le"], "did you mean 'owl-el'"),
        ([str(INSPECTION), "--operators", "AddSubclasOf"], "did you mean 'AddSubClassOf'"),
        ([str(INSPECTION), "--operators", "no/such.ru"], "such.ru does not exist"),
        ([str(INSPECTION), "--operators", "generic", "--mask", "no.ttl"], "no.ttl: no such file"),
        ([str(INSPECTION), "--operators", "generic", "--pin", "nope:"], "no prefix 'nope:'"),
        ([str(INSPECTION), "--operators", "generic", "--pin", "nope"], "nope: no such file"),
        ([str(INSPECTION), "--operators", "generic", "--reasoner", "hermt"], "hermt"),
        ([str(INSPECTION), "--operators", "generic", "--format", "docx"], "docx"),
        ([str(INSPECTION), "--operators", "generic", "--count", "0"], "0"),
        (["-", "--operators", "generic"], "cannot read from standard input"),
        (["", "--operators", "generic"], "name a profile or a graph"),
        ([str(INSPECTION), "--operators", "generic", "--imports", "nowhere"], "'nowhere' does not exist"),
        ([str(INSPECTION), "--operators", "generic", "--imports", str(INSPECTION)], "is a file"),
        (["--replay", "x"], "is not a mutant"),
        (["--replay", "x#²"], "is not a mutant"),
        (["--replay", f"x#{'9' * 5000}"], "write the manifest and a number"),
        (["--replay", f"{INSPECTION}#1"], "is not JSON"),
        (["--replay", "nowhere.jsonl#1"], "nowhere.jsonl"),
        ([str(INSPECTION), "--replay", "x#1"], "takes the seed graph from the manifest"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    out = [] if "--replay" in arguments else ["--out", str(tmp_path / "out")]
    assert_refused(kgprobe("mutate", *arguments, *out), message)
    assert not (tmp_path / "out" / "manifest.jsonl").exists()


def test_invalid_output_folders_are_refused(tmp_path: Path) -> None:
    arguments = ["mutate", str(INSPECTION), "--operators", "generic", "--out"]
    assert_refused(kgprobe(*arguments, ""), "--out is empty")
    assert_refused(kgprobe(*arguments, str(tmp_path / ("x" * 5000))), "File name too long")
    assert_refused(kgprobe(*arguments, str(INSPECTION)), "is a file, not a folder")


def test_seeds_with_the_same_name_get_separate_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(INSPECTION, tmp_path / name / "g.ttl")
    (tmp_path / "g-1.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    (tmp_path / "p.toml").write_text(
        'graph.seeds = ["a/g.ttl", "b/g.ttl", "g-1.ttl"]\nmutation.operators = ["RemoveTriple"]\n'
        "mutation.mutants = 1\nmutation.mutations = 1\n"
    )
    run = kgprobe("mutate", str(tmp_path / "p.toml"))
    assert run.returncode == 0, run.stderr
    folders = {
        path.name: json.loads((path / "manifest.jsonl").read_text().splitlines()[0])["graph"]["file"]
        for path in (tmp_path / "mutants").iterdir()
    }
    assert folders == {"g-2": "../../a/g.ttl", "g-3": "../../b/g.ttl", "g-1": "../../g-1.ttl"}


def test_a_seed_among_the_mutants_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = ["--operators", "generic", "--mutations", "1", "--count", "2", "--out", str(out)]
    assert kgprobe("mutate", str(INSPECTION), *first).returncode == 0
    before = (out / "mutant-0001.ttl").read_bytes()
    assert_refused(kgprobe("mutate", str(out / "mutant-0001.ttl"), *first), "this folder already contains mutants")
    assert_refused(kgprobe("mutate", str(out / "mutant-0001.ttl"), *first, "--force"), "is still needed")
    assert (out / "mutant-0001.ttl").read_bytes() == before
    assert (out / "mutant-0002.ttl").exists()


def test_a_changed_import_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
    imported = tmp_path / "library" / "b.ttl"
    imported.write_text(f"{owl} <urn:b> a owl:Ontology . <urn:x> a owl:Class .")
    (tmp_path / "a.ttl").write_text(f"{owl} <urn:a> a owl:Ontology ; owl:imports <urn:b> . <urn:y> a owl:Class .")
    library = ["--imports", str(tmp_path / "library")]
    options = ["--operators", "AddSubClassOf", "--mutations", "1", "--count", "1", "--out", str(tmp_path / "out")]
    assert kgprobe("mutate", str(tmp_path / "a.ttl"), *library, *options).returncode == 0
    replay = ["mutate", "--replay", str(tmp_path / "out" / "manifest.jsonl#1"), "--out", str(tmp_path / "again.ttl")]
    assert kgprobe(*replay).returncode == 0
    assert (tmp_path / "again.ttl").read_bytes() == (tmp_path / "out" / "mutant-0001.ttl").read_bytes()
    with imported.open("a") as stream:
        stream.write(" <urn:z> a owl:Class .")
    assert_refused(kgprobe(*replay), "have changed since")
    imported.unlink()
    assert_refused(kgprobe(*replay), "have changed since")


@pytest.mark.parametrize(("written", "extension"), [("patches", "rdfp"), ("updates", "ru"), ("graphs", "ttl")])
def test_a_mutant_is_replayed_in_each_form(tmp_path: Path, written: str, extension: str) -> None:
    options = ["--operators", "abox", "--mutations", "2", "--count", "2", "--write", written]
    assert kgprobe("mutate", str(INSPECTION), *options, "--out", str(tmp_path)).returncode == 0
    once = (tmp_path / f"mutant-0002.{extension}").read_bytes()
    replay = ["mutate", "--replay", f"{tmp_path}/manifest.jsonl#2", "--write", written]
    assert kgprobe(*replay).stdout.encode() == once
    target = tmp_path / f"again.{extension}"
    assert kgprobe(*replay, "--out", str(target)).returncode == 0
    assert target.read_bytes() == once
    assert_refused(kgprobe(*replay, "--count", "3"), "--count is not allowed")
    assert_refused(kgprobe(*replay, "--imports", str(tmp_path)), "--imports is not allowed")
    assert_refused(kgprobe(*replay, "--json"), "--json is not allowed")


@pytest.mark.parametrize("value", ["1", "[2]"])
def test_a_manifest_with_an_invalid_seed_is_refused(tmp_path: Path, value: str) -> None:
    options = ["--operators", "abox", "--mutations", "1", "--count", "1", "--out", str(tmp_path)]
    assert kgprobe("mutate", str(INSPECTION), *options).returncode == 0
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace('"base":null', f'"base":{value}'))
    assert_refused(kgprobe("mutate", "--replay", f"{manifest}#1"), "does not name its seed graph")


def test_operators_are_listed_and_shown() -> None:
    listed = kgprobe("operators", "list", "--set", "owl-el", "--json")
    names = [entry["name"] for entry in json.loads(listed.stdout)]
    assert "AddSubClassOf" in names
    assert names == sorted(names)
    assert "INSERT { ?sub rdfs:subClassOf ?super }" in kgprobe("operators", "show", "addsubclassof").stdout
    assert "def " in kgprobe("operators", "show", "ReplaceClassWithThing").stdout
    assert_refused(kgprobe("operators", "show", "AddSubClasOf"), "did you mean 'AddSubClassOf'")
    assert_refused(kgprobe("operators", "show", "owl-el"), "is a set")
    assert_refused(kgprobe("operators", "list", "--set", "owl"), "no set of operators")
