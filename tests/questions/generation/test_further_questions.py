"""Choices, open questions, and contexts with unrelated sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.questions.cases import open_cases
from questions.cities import CITIES, made

ALL = ("yes-no", "choice", "open")


def test_choices_and_open_questions_have_all_right_names(tmp_path: Path) -> None:
    closed = ("contains", "birthPlace")
    text = CITIES + ':lucca skos:altLabel "Lucca Italia" .'
    with made(tmp_path, text, rules=("alias", "transitive", "composition"), forms=ALL, closed=closed) as generated:
        cases = list(generated.cases)
        assert [generated.cases[number] for number in range(len(cases))] == cases
    choices = [each for case in cases for each in case.consequences if each.form == "choice"]
    openly = {each.text: each for case in cases for each in case.consequences if each.form == "open"}
    assert choices
    for each in choices:
        assert each.expected in each.right
        assert each.wrong
        assert not set(each.wrong) & set(each.right)
        assert all(name in each.text for name in (each.expected, *each.wrong))
    asked = openly["Who or what is a place in Toscana?"]
    assert set(asked.right) == {"Lucca", "Lucca Italia", "Pisa", "Piazza Grande"}
    assert asked.expected in {"Lucca", "Pisa"}
    assert openly["Who or what is the birth place of the composer of Tosca?"].right == ("Lucca", "Lucca Italia")


def test_only_conclusions_that_can_be_chosen_are_made_without_yes_no(tmp_path: Path) -> None:
    with made(tmp_path, rules=("inverse", "transitive"), forms=("open",)) as generated:
        assert set(generated.by_rule) == {"transitive"}
        assert generated.empty == {"inverse": "its conclusions are yes-no questions"}
        assert {each.form for case in generated.cases for each in case.consequences} == {"open"}


@pytest.mark.parametrize("context", ["premises", "none", "distractors"])
def test_the_context_of_a_conclusion(tmp_path: Path, context: str) -> None:
    with made(tmp_path, rules=("transitive",), context=context, seed=5) as generated:
        cases = list(generated.cases)
        generated.write(tmp_path / "cases.parquet")
    assert list(open_cases(tmp_path / "cases.parquet").starting_at(0)) == cases
    assert all(each.context == "" for case in cases for each in case.antecedents)
    plain = {"premises": 2, "none": 0}
    for case in cases:
        (conclusion,) = case.consequences
        sentences = [each for each in conclusion.context.split(". ") if each]
        if context in plain:
            assert len(sentences) == plain[context]
            continue
        assert len(sentences) > 2
        names = {name for name in ("Italy", "Tuscany", "Lazio", "Lucca", "Rome", "Pisa") if name in conclusion.text}
        others = [each for each in sentences if not names & set(each.replace(".", "").split())]
        assert others


def test_distractors_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    def contexts(seed: int) -> list[str]:
        with made(tmp_path, rules=("inverse",), context="distractors", seed=seed, limit=100) as generated:
            return sorted(case.consequences[0].context for case in generated.cases)

    assert contexts(1) == contexts(1) != contexts(2)
