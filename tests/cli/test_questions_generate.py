"""`kgprobe questions generate` and `kgprobe questions rules`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from questions.cities import CITIES

from kgprobe.cli.app import interruption, resumable, run

PROFILE = """
[questions]
facts = ["cities.ttl"]
rules = ["transitive", "symmetric"]
closed = ["contains"]

[questions.relations.contains]
words = ["a", "place", "in"]
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    (tmp_path / "cities.ttl").write_text(CITIES, "utf-8")
    file = tmp_path / "qa.toml"
    file.write_text(PROFILE, "utf-8")
    return file


def test_cases_are_written_and_counted(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = profile.with_name("cases.jsonl")
    assert run(["questions", "generate", str(profile), "--out", str(out), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["cases"] == len(out.read_text("utf-8").splitlines()) == counts["by_rule"]["transitive"]
    assert counts["empty"] == {"symmetric": "no relation or class meets its conditions"}
    assert counts["dropped"] == {}


def test_a_sample_is_for_people(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["questions", "generate", str(profile), "--sample", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("because it follows from the premises") == 2
    assert "a place in Italy?  yes" in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"symmetric"', '"symetric"', "qa.toml:4:.*did you mean 'symmetric'"),
        ('closed = ["contains"]', 'closed = ["contians"]', "qa.toml:5:.*did you mean 'contains'"),
        ("relations.contains]", "relations.contian]", "qa.toml:7:.*did you mean 'contains'"),
    ],
)
def test_a_misspelled_name_has_a_line(
    profile: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    profile.write_text(PROFILE.replace(old, new), "utf-8")
    assert run(["questions", "generate", str(profile), "--sample", "1"]) == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [[], ["--out", "cases.csv"], ["--out", "no/such/folder/cases.jsonl"]])
def test_there_must_be_a_place_for_the_cases(profile: Path, arguments: list[str]) -> None:
    assert run(["questions", "generate", str(profile), *arguments]) == 2


def test_rules_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["questions", "rules"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 15
    assert run(["questions", "rules", "inverse"]) == 0
    assert 'sound = ["asymmetric R"]' in capsys.readouterr().out
    assert run(["questions", "rules", "invers"]) == 2
    assert "did you mean 'inverse'?" in capsys.readouterr().err


def test_how_to_name_things_is_said_if_none_has_a_name(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile.with_name("cities.ttl").write_text(CITIES.replace("rdfs:label", "rdfs:comment"), "utf-8")
    assert run(["questions", "generate", str(profile), "--sample", "1"]) == 0
    assert '<http://www.w3.org/2000/01/rdf-schema#label> "name"@en .' in capsys.readouterr().out


def test_an_interruption_after_the_cases_are_written_does_not_promise_to_resume(tmp_path: Path) -> None:
    facts, cases = tmp_path / "facts.duckdb", tmp_path / "cases.jsonl"
    facts.touch()
    said = []
    for is_written in (False, True):
        if is_written:
            cases.touch()
        with click.Context(click.Command("generate")):
            with pytest.raises(KeyboardInterrupt), resumable(facts, result=cases):
                raise KeyboardInterrupt
            said.append(interruption())
    assert said == ["interrupted; run the same command to resume", "interrupted"]
