"""`kgprobe mask learn` and `kgprobe mask score`, on good and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import kgprobe

from kgprobe.masks.shacl import read_shapes

SEED = """@prefix : <https://example.org/x#> .
:robot a :Robot ; :uses :map ; :near :dock .
"""
USES, NEAR = (
    f"[[https://example.org/x#robot, https://example.org/x#{p}, https://example.org/x#{o}]]"
    for p, o in (("uses", "map"), ("near", "dock"))
)
MUTANTS = f"id;addedAxioms;removedAxioms\n1;[];{USES}\n2;[];{NEAR}\n3;[];[]\n"
VERDICTS = "id,oracle\n1,failed\n2,passed\n3,passed\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seed.ttl").write_text(SEED)
    (tmp_path / "a.mutants.csv").write_text(MUTANTS)
    (tmp_path / "a.verdicts.csv").write_text(VERDICTS)
    return tmp_path


FILES = ("--graph", "seed.ttl", "--mutants", "a.mutants.csv", "--verdicts", "a.verdicts.csv")


def test_a_mask_is_learned_written_and_judged(folder: Path) -> None:
    done = kgprobe("mask", "learn", *FILES, "--out", "mask.ttl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert list(printed)[:8] == [
        *("cases", "failing", "passing", "shapes", "unexplained", "conflicts", "ceiling", "accuracy"),
    ]
    assert (printed["cases"], printed["failing"], printed["passing"]) == (3, 1, 2)
    [shape] = printed["shapes"]
    assert list(shape) == ["name", "kind", "words", "explains", "excludes", "p", "strength"]
    assert (shape["kind"], shape["explains"], shape["strength"]) == ("pin", ["a#1"], "tentative")
    assert shape["words"] == ":robot has :uses :map"
    assert printed["unneeded"] == [{"triple": ":robot :near :dock", "cases": ["a#2"]}]
    assert read_shapes(folder / "mask.ttl")

    score = kgprobe("mask", "score", "mask.ttl", *FILES, "--json")
    assert score.returncode == 0
    assert json.loads(score.stdout) == {
        "cases": 3,
        "accuracy": 1.0,
        "ceiling": 1.0,
        "correct": 3,
        "too_permissive": [],
        "too_strict": [],
    }


def test_people_read_what_was_learned(folder: Path) -> None:
    done = kgprobe("mask", "learn", *FILES)
    assert done.returncode == 0
    assert "3 cases: 1 failing, 2 passing" in done.stdout
    assert "  :robot has :uses :map\n  explains a#1 (p = 0.33)" in done.stdout
    (folder / "strict.ttl").write_text(
        "@prefix : <https://example.org/x#> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        ":S a sh:NodeShape ; sh:targetNode :robot ; sh:property [ sh:path :near ; sh:minCount 1 ] .\n"
    )
    score = kgprobe("mask", "score", "strict.ttl", *FILES)
    assert score.returncode == 0
    assert score.stdout.splitlines() == [
        "1 of 3 cases right: 33.3%",
        "no mask can exceed 100.0%",
        "admitted, but failing: a#1",
        "excluded, but passing: a#2",
    ]


def test_nothing_found_is_said(folder: Path) -> None:
    (folder / "a.mutants.csv").write_text(MUTANTS.replace(f"2;[];{NEAR}", f"2;[];{USES}"))
    done = kgprobe("mask", "learn", *FILES)
    assert done.returncode == 0
    assert "no shape was found" in done.stderr
    assert "a#1 and a#2 are equal, but their verdicts differ" in done.stdout


def test_a_file_is_replaced_only_with_force(folder: Path) -> None:
    (folder / "mask.ttl").write_text("keep")
    done = kgprobe("mask", "learn", *FILES, "--out", "mask.ttl")
    assert (done.returncode, (folder / "mask.ttl").read_text()) == (2, "keep")
    assert kgprobe("mask", "learn", *FILES, "--out", "mask.ttl", "--force").returncode == 0
    assert (folder / "mask.ttl").read_text().startswith("@prefix")


BAD = {
    ("learn",): "there are no cases",
    ("learn", "nothing.sqlite"): "nothing.sqlite",
    ("learn", "seed.ttl"): "seed.ttl",
    ("learn", "a.sqlite", *FILES): "both a store and files were given",
    ("learn", *FILES[:4]): "--verdicts is missing",
    ("learn", *FILES[:2], *FILES[4:]): "--mutants is missing",
    ("learn", *FILES[2:]): "--graph is missing",
    ("learn", *FILES, "--mutants", "a.mutants.csv"): "2 files of mutants, but 1 of verdicts",
    ("learn", *FILES, "--out", "no/such/folder/mask.ttl"): "cannot be written",
    ("learn", *FILES, "--out", ".", "--force"): "is a folder",
    ("learn", *FILES, "--out", "."): "is a folder",
    ("learn", "--graph", "seed.ttl", "--mutants", "missing.csv", "--verdicts", "a.verdicts.csv"): "missing.csv",
    ("learn", "--graph", "empty.ttl", *FILES[2:]): "the seed graph is empty",
    ("learn", *FILES[:4], "--verdicts", "passed.csv"): "no case fails",
    ("learn", *FILES[:4], "--verdicts", "failed.csv"): "no case passes",
    ("learn", *FILES, "--noise", "0.7"): "0.7",
    ("score", "seed.ttl"): "a mask or a store is missing",
    ("score", "missing.ttl", *FILES): "there is no file 'missing.ttl'",
}


@pytest.mark.parametrize("arguments", BAD, ids=BAD.values())
def test_bad_input_ends_with_2_and_one_line(arguments: tuple[str, ...], folder: Path) -> None:
    (folder / "empty.ttl").write_text("")
    (folder / "passed.csv").write_text(VERDICTS.replace("failed", "passed"))
    (folder / "failed.csv").write_text(VERDICTS.replace("passed", "failed"))
    done = kgprobe("mask", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert BAD[arguments] in done.stderr
    assert done.stderr.startswith("kgprobe: error: ")
    assert "Traceback" not in done.stderr
