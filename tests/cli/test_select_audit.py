"""`kgprobe select --audit` with mutants: a query that needs too much runs once, and nothing is said of its answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import kgprobe, needs_linux

_ONTOLOGY = """@prefix : <https://example.org/soup#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Dish a owl:Class . :Soup a owl:Class ; rdfs:subClassOf :Dish . :Stew a owl:Class ; rdfs:subClassOf :Dish .
"""
_PLAIN = "SELECT ?c { ?c a <http://www.w3.org/2002/07/owl#Class> }"
_A = "a" * 100
# A text of a hundred letters, then of ten thousand, of a hundred million, and of more than any memory has.
_GROWING = f"""SELECT ?d {{ ?s ?p ?o
  BIND(REPLACE("{_A}", "a", "{_A}") AS ?b) BIND(REPLACE(?b, "a", ?b) AS ?c) BIND(REPLACE(?c, "a", ?c) AS ?d) }}"""


@needs_linux
def test_a_query_that_passes_a_limit_runs_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "soup.ttl").write_text(_ONTOLOGY, encoding="utf-8")
    (tmp_path / "growing.rq").write_text(_GROWING, encoding="utf-8")
    (tmp_path / "plain.rq").write_text(_PLAIN, encoding="utf-8")
    audit = ("select", "soup.ttl", "--audit", "--mutants", "5", "--seed", "1", "--quiet", "--tests", "growing.rq")
    nothing = kgprobe(*audit)
    assert nothing.returncode == 3
    assert "every test takes too long, or too much memory: growing.rq" in nothing.stderr
    done = kgprobe(*audit, "--tests", "plain.rq")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 mutants, 2 tests, regime none: 5 runs,")
    assert "1 test takes too long, or too much memory: not run again after the first time: growing.rq" in done.stdout
    assert json.loads(kgprobe(*audit, "--tests", "plain.rq", "--json").stdout)["unanswered"] == ["growing.rq"]
