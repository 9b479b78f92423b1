"""`kgprobe questions generate`: where the facts are kept, and which engine joins them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kgprobe.cli import questions
from kgprobe.errors import InputError

PROFILE = '[questions]\nfacts = ["facts"]\nrules = ["transitive"]\n'
GRAPH = """
@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:in a <http://www.w3.org/2002/07/owl#TransitiveProperty> ; rdfs:label "place in" .
:a rdfs:label "A" ; :in :b . :b rdfs:label "B" ; :in :c . :c rdfs:label "C" .
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "a.ttl").write_text(GRAPH, encoding="utf-8")
    (folder / "b.nq").write_text("<http://e.org/a> <http://e.org/in> <http://e.org/c> <http://e.org/g> .\n", "utf-8")
    (folder / "readme.txt").write_text("not a graph", encoding="utf-8")
    file = tmp_path / "qa.toml"
    file.write_text(PROFILE, encoding="utf-8")
    return file


def generate(*arguments: str | int | Path) -> Result:
    result = CliRunner().invoke(
        questions.generate, list(map(str, arguments)), catch_exceptions=False, standalone_mode=False
    )
    if result.exception is not None:
        raise result.exception
    return result


def test_facts_are_kept_in_a_file_and_notes_are_shown(profile: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.duckdb"
    for _ in range(2):
        result = generate(profile, "--sample", 1, "--json", "--facts", kept)
        assert json.loads(result.stdout)["by_rule"] == {"transitive": 1}
        assert "b.nq: only the default graph is read, without 1 triple in 1 named graph" in result.stderr
    assert kept.is_file()


def test_a_changed_file_is_noted(profile: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.duckdb"
    generate(profile, "--sample", 1, "--json", "--facts", kept)
    file = tmp_path / "facts" / "a.ttl"
    file.write_text(GRAPH + ':c :in :d . :d rdfs:label "D" .', encoding="utf-8")
    result = generate(profile, "--sample", 1, "--json", "--facts", kept)
    assert json.loads(result.stdout)["by_rule"] == {"transitive": 2}
    assert f"{file} has changed since it was loaded: all facts are loaded again" in result.stderr


def test_a_file_that_is_not_ours_and_an_unknown_engine_are_refused(profile: Path) -> None:
    with pytest.raises(InputError, match="is not a file of facts"):
        generate(profile, "--sample", 1, "--facts", profile)
    with pytest.raises(InputError, match="did you mean 'duckdb'"):
        generate(profile, "--sample", 1, "--engine", "duckdbb")
    assert profile.read_text(encoding="utf-8") == PROFILE
