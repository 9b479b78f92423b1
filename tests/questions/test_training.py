"""Training data: no entity on two sides, the right shares, and each question with its right answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from kgprobe.questions.cases import Claim, Question, QuestionCase
from kgprobe.questions.training import SIDES, Split, entities_of, examples, split

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def assert_apart(cases: Sequence[frozenset[str]], found: Split) -> None:
    """No entity is on two sides, and each case is somewhere."""
    names = {side: {name for number in numbers for name in cases[number]} for side, numbers in found.sides.items()}
    assert not names["train"] & names["validation"]
    assert not names["train"] & names["test"]
    assert not names["validation"] & names["test"]
    numbers = [number for each in (*found.sides.values(), found.dropped) for number in each]
    assert sorted(numbers) == list(range(len(cases)))


@pytest.mark.parametrize("seed", range(20))
def test_random_cases_are_kept_apart(seed: int) -> None:
    draw = random.Random(seed)
    things = draw.randint(3, 300)
    cases = [frozenset(f"e{draw.randrange(things)}" for _ in range(draw.randint(0, 4))) for _ in range(200)]
    assert_apart(cases, split(cases))


def test_cases_that_share_nothing_are_split_exactly() -> None:
    cases = [frozenset({f"a{n}", f"b{n}"}) for n in range(100)]
    found = split(cases)
    assert {side: len(numbers) for side, numbers in found.sides.items()} == {"train": 60, "validation": 20, "test": 20}
    assert not found.dropped
    assert split(cases) == found


def test_groups_stay_together() -> None:
    cases = [frozenset({f"hub{n // 10}", f"x{n}"}) for n in range(200)]
    found = split(cases)
    assert_apart(cases, found)
    assert not found.dropped
    assert [len(found.sides[side]) for side in SIDES] == [120, 40, 40]


def test_one_large_group_is_cut_and_few_cases_are_dropped() -> None:
    cases = [frozenset({f"place {n}", f"place {n + 1}", f"place {n + 2}"}) for n in range(1_000)]
    found = split(cases)
    assert_apart(cases, found)
    assert 0 < len(found.dropped) < 20
    kept = sum(map(len, found.sides.values()))
    for side, share in SIDES.items():
        assert len(found.sides[side]) / kept == pytest.approx(share, abs=0.15)


def test_a_thing_in_all_cases_leaves_the_other_sides_empty() -> None:
    cases = [frozenset({"Italy", f"place {n}"}) for n in range(50)]
    found = split(cases)
    assert_apart(cases, found)
    assert len(found.sides["train"]) == 50


def question(text: str, expected: str, claim: Claim | None = None, **more: object) -> Question:
    return Question(text, expected, claim=claim, **more)  # type: ignore[arg-type]


CASE = QuestionCase(
    "1",
    "transitive",
    ("urn:in",),
    (("urn:lucca", "urn:in", "urn:tuscany"), ("urn:lucca", TYPE, "urn:City"), ("urn:lucca", "urn:name", '"Lucca"')),
    (question("Is Lucca in Tuscany?", "yes", Claim("urn:lucca", ("urn:in",), "urn:tuscany")),),
    (
        question("Is Lucca in Italy?", "yes", None, context="Lucca is in Tuscany.", kind="basic"),
        question("Is Lucca in Peru?", "no", Claim("urn:lucca", ("urn:in",), "urn:peru"), kind="extended"),
        question("Is Lucca a city?", "yes", Claim("urn:lucca", (TYPE,), "urn:City"), kind="basic"),
        question("Where is Lucca?", "Italy", None, form="open", right=("Italy", "Italia"), kind="basic"),
    ),
)


def test_classes_and_literals_are_not_entities() -> None:
    assert entities_of(CASE) == {"urn:lucca", "urn:tuscany", "urn:peru", "Italy", "Italia"}


def test_each_question_is_one_example_with_its_right_answer() -> None:
    chat = list(examples([CASE, CASE], "chat", lambda prompt: f"{prompt.context}|{prompt.text}"))
    assert len(chat) == 5
    assert chat[1] == {
        "messages": [
            {"role": "user", "content": "Lucca is in Tuscany.|Is Lucca in Italy?"},
            {"role": "assistant", "content": "Yes"},
        ]
    }
    plain = list(examples([CASE], "text2text", lambda prompt: prompt.text))
    assert plain[1] == {"input": "Is Lucca in Italy?\nLucca is in Tuscany.", "output": "yes"}
    assert [each["output"] for each in plain] == ["yes", "yes", "no", "yes", "Italy"]


def test_sentences_about_other_things_are_left_out() -> None:
    others = "Rome is in Lazio. Lucca is in Tuscany. Paris is in France."
    case = replace(CASE, consequences=(question("Is Lucca in Italy?", "yes", None, context=others, kind="basic"),))
    plain = list(examples([case], "text2text", lambda prompt: prompt.text))
    assert plain[1] == {"input": "Is Lucca in Italy?\nLucca is in Tuscany.", "output": "yes"}
    free = "Lucca is a town in the north-west of Tuscany, which belongs to Italy."
    case = replace(CASE, consequences=(question("Is Lucca in Italy?", "yes", None, context=free, kind="basic"),))
    assert free in list(examples([case], "text2text", lambda prompt: prompt.text))[1]["input"]
