"""A module with a rule is all that a check needs to have the rule."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from kgprobe.queries.diagnosis.changes import fixed_text
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnosis.rules import CODES, RULES, codes_of, rules_in
from kgprobe.queries.files.texts import QueryText
from queries.checks import ENGINES, checker

TOY = """
from kgprobe.queries.diagnosis.changes import Candidate, Rank
from kgprobe.queries.diagnosis.rules import Finding, Rule
from kgprobe.queries.diagnostics import Code
from kgprobe.sparql.algebra import QueryTree, Span


def _shouted(inspection):
    for operation in inspection.document.operations:
        for column in operation.projected or () if isinstance(operation, QueryTree) else ():
            name = column.variable.name
            if name.isupper() and column.span is not None:
                edits = tuple(
                    (Span(place, place + len(name) + 1), f"?{name.lower()}")
                    for place in range(len(inspection.document.text))
                    if inspection.document.text.startswith(f"?{name}", place)
                )
                change = Candidate("write it in small letters", edits, Rank.SLIP)
                yield Finding("shouting", column.span, f"?{name} shouts", variable=name, repairs=lambda: [change])


RULE = Rule(_shouted, (Code("shouting", "a column in capitals", "The name of a column is in capitals."),))
"""
QUERY = "SELECT ?AGE { ?user <https://example.org/social-network#age> ?AGE }"


@pytest.fixture
def with_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checker:
    folder = tmp_path / "more_rules_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "toy.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    rules = (*RULES, *rules_in(importlib.import_module(folder.name)))
    assert set(codes_of(rules)) == {*CODES, "shouting"}
    return Checker(checker().schema, ENGINES, rules=rules)


def test_a_new_rule_finds_and_repairs(with_toy: Checker) -> None:
    report = with_toy.check(QueryText.whole("query.rq", QUERY))
    assert [(str(diagnostic), diagnostic.variable) for diagnostic in report.diagnostics] == [
        ("query.rq:1:8: warning [shouting]: ?AGE shouts", "AGE")
    ]
    assert fixed_text(QUERY, report) == (QUERY.replace("?AGE", "?age"), 1)
    assert not checker().check(QueryText.whole("query.rq", QUERY)).diagnostics


def test_a_comment_silences_a_new_rule(with_toy: Checker) -> None:
    silenced = f"# kgprobe: ignore shouting\n{QUERY}"
    assert not with_toy.check(QueryText.whole("query.rq", silenced)).diagnostics
    assert [diagnostic.code for diagnostic in checker().check(QueryText.whole("query.rq", silenced)).diagnostics] == [
        "unknown-code"
    ]


def test_each_module_of_the_package_is_a_rule() -> None:
    assert len(RULES) == 3
