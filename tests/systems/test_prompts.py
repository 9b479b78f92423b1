"""Prompts: templates, the default for each form, and the text of replies."""

from __future__ import annotations

import pytest

from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, Prompt
from kgprobe.rdf.graph import Graph
from kgprobe.systems.prompts import PromptText, QuestionObject, check_template, reply_text


def text_of(prompt: Prompt, template: str | None = None) -> str:
    return PromptText(template).content(Case("q", Dialogue((prompt,)))).decode()


def test_the_default_has_the_context_the_question_and_how_to_answer() -> None:
    assert text_of(Prompt("Is it?", "It is.")) == "It is.\nIs it?\nAnswer yes or no."
    assert text_of(Prompt("Is it?")) == "Is it?\nAnswer yes or no."
    assert "yes or no" not in text_of(Prompt("Which?", form="choice"))
    assert "yes or no" not in text_of(Prompt("Who?", form="open"))


def test_names_with_braces_and_line_breaks_are_copied() -> None:
    name = '{question} {context} {x} {{}} "\n\\n'
    assert text_of(Prompt(f"Is {name} it?", f"{name} is."), "{context}|{question}") == f"{name} is.|Is {name} it?"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{context}\n\n{question}", "\nQ?"),  # only the line of the context goes
        ("Facts: {context}\n{question}", "Facts: \nQ?"),
        ("{question}\n  {context}  \nOK", "Q?\nOK"),
        ('{"q": "{question}", "n": {1}}'.replace("{1}", "{ 1 }"), '{"q": "Q?", "n": { 1 }}'),
    ],
)
def test_an_empty_context_leaves_no_line(template: str, expected: str) -> None:
    assert text_of(Prompt("Q?"), template) == expected


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{context}", "needs the placeholder '{question}'"),
        ("{context}{qestion}", "no placeholder '{qestion}' (did you mean '{question}'?)"),
        ("{question}{facts}", "no placeholder '{facts}'"),
    ],
)
def test_templates_are_checked(template: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        check_template(template)
    assert complaint in str(caught.value)


def test_only_one_question_can_be_asked() -> None:
    with pytest.raises(InputError, match="case g is a graph, not a question"):
        PromptText().content(Case.of_graph("g", Graph()))
    with pytest.raises(InputError, match="has 2 questions"):
        PromptText().content(Case("d", Dialogue((Prompt("A?"), Prompt("B?")))))


def test_a_question_as_a_value() -> None:
    value = QuestionObject("{question}!").content(Case("d", Dialogue((Prompt("A?", "B."),))))
    assert value == {"question": "A?", "context": "B.", "prompt": "A?!"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Yes.", "Yes."),
        (True, "yes"),
        ({"answer": "no", "why": "x"}, "no"),
        ({"answer": False}, "no"),
        ({"reply": "é"}, '{"reply": "é"}'),
        (None, ""),
        ("half \ud83d", "half \ufffd"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_replies_are_text(value: object, text: str) -> None:
    assert reply_text(value) == text
    text.encode()
