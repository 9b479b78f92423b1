"""Texts that a spreadsheet would take for a formula survive in files, and no cell of a CSV file begins with one."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kgprobe.mining.files import write_rules
from kgprobe.mining.rules import Budget, Thresholds
from kgprobe.mining.search import mine_named
from kgprobe.questions.cases import open_cases
from kgprobe.questions.generation.steps import generate
from kgprobe.questions.settings import Settings
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", '=HYPERLINK("http://e.org","x")']


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_names_of_questions_survive(ending: str, tmp_path: Path) -> None:
    names = "".join(f":t{n} rdfs:label {Literal(text)} ; :in :t{n + 1} .\n" for n, text in enumerate(FORMULAS))
    (tmp_path / "facts.ttl").write_text(
        "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':in a <http://www.w3.org/2002/07/owl#TransitiveProperty> ; rdfs:label "place in" .\n'
        f':t{len(FORMULAS)} rdfs:label "end" .\n{names}'
    )
    with generate([tmp_path / "facts.ttl"], Settings(rules=("transitive",))) as made:
        made.write(tmp_path / f"cases{ending}")
        expected = list(made.cases)
    assert expected
    assert list(open_cases(tmp_path / f"cases{ending}").starting_at(0)) == expected
    texts = " ".join(question.text for case in expected for question in case.antecedents)
    assert "=cmd|' /C calc'!A0" in texts


def test_no_cell_of_mined_rules_is_a_formula(tmp_path: Path) -> None:
    triples = [
        Triple(NamedNode(f"=urn:{n}".removeprefix("=")), NamedNode(f"urn:p{m}"), Literal(FORMULAS[m]))
        for n in range(30)
        for m in range(4)
    ]
    mined = mine_named([("g", Graph(triples))], thresholds=Thresholds(min_body=2, min_head=2), budget=Budget())
    assert mined.rules
    write_rules(tmp_path / "rules.csv", mined)
    with (tmp_path / "rules.csv").open(newline="", encoding="utf-8") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert any("=cmd" in cell for cell in cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
