"""A case of inference testing as a value, and as a line of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from kgprobe.errors import InputError, Position
from kgprobe.model import Inference, Prompt
from kgprobe.questions.settings import FORMS

__all__ = [
    "Claim",
    "Fact",
    "Question",
    "QuestionCase",
    "case_of_line",
    "case_of_value",
    "line_of",
    "sentences_of",
    "value_of",
]

# After the end of a sentence, but not after an initial: J. R. Rotem is one name.
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?。])(?<!\b[^\W\d_]\.)\s+|\n+")
Fact: TypeAlias = tuple[str, str, str]
"""A triple of IRIs; the object may be a literal as in N-Triples."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim that a question is about: from the subject along the path to the object, all by their IRIs.

    The path of "is a" is rdf:type, and the object is then a class.
    """

    subject: str
    path: tuple[str, ...]
    object: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its context and the expected answer.

    `claim` is None if the question is about a name ("X is the alternative name for Y"), about a number, or about
    several claims. `kind` is "basic" or "extended" for a conclusion, and empty for a premise; `why` says why the
    expected answer is right.
    """

    text: str
    expected: str
    context: str = ""
    claim: Claim | None = None
    kind: str = ""
    why: str = ""
    form: str = "yes-no"
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def prompt(self) -> Prompt:
        """The part that a system and an oracle need."""
        return Prompt(self.text, self.context, self.expected, self.form, self.right, self.wrong, self.kind)


@dataclass(frozen=True, slots=True)
class QuestionCase:
    """Premises that the graph states, and conclusions that follow from them by a rule."""

    id: str
    rule: str
    relations: tuple[str, ...]
    facts: tuple[Fact, ...]
    antecedents: tuple[Question, ...]
    consequences: tuple[Question, ...]
    is_mined: bool = False

    @property
    def input(self) -> Inference:
        """The case as an input of a campaign."""
        premises = tuple(antecedent.prompt for antecedent in self.antecedents)
        conclusions = tuple(consequence.prompt for consequence in self.consequences)
        return Inference(self.rule, self.relations, premises, conclusions, self.is_mined)


def sentences_of(context: str) -> tuple[str, ...]:
    """The sentences of a context. A name with a full stop can make two of one, which does no harm."""
    return tuple(part for part in _BETWEEN_SENTENCES.split(context) if part.strip())


def value_of(case: QuestionCase) -> dict[str, Any]:
    """The case as a JSON value."""
    return {
        "id": case.id,
        "rule": case.rule,
        "relations": list(case.relations),
        "facts": [list(fact) for fact in case.facts],
        "antecedents": [_question_value(antecedent) for antecedent in case.antecedents],
        "consequences": [_question_value(consequence) for consequence in case.consequences],
        **({"mined": True} if case.is_mined else {}),
    }


def line_of(case: QuestionCase) -> str:
    """The case as a line of JSON, without a line end."""
    return json.dumps(value_of(case), ensure_ascii=False)


def _question_value(question: Question) -> dict[str, Any]:
    claim = question.claim
    value: dict[str, Any] = {
        "question": question.text,
        "context": question.context,
        "expected": question.expected,
        "claim": None
        if claim is None
        else {"subject": claim.subject, "path": list(claim.path), "object": claim.object},
    }
    if question.kind:
        value |= {"kind": question.kind, "why": question.why}
    if question.form != "yes-no":
        value |= {"form": question.form, "right": list(question.right), "wrong": list(question.wrong)}
    return value


def case_of_line(line: str, where: Position) -> QuestionCase:
    """The case in a line of JSON. InputError if it is broken; `where` is the line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("this line is not JSON", where=where) from None
    try:
        return case_of_value(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"this line is not a case: {what}", where=where) from None


def case_of_value(value: Mapping[str, Any]) -> QuestionCase:
    """The case in a JSON value. KeyError, TypeError or ValueError if it is not one."""
    if not isinstance(value, Mapping):
        raise TypeError("it is not an object")
    case = QuestionCase(
        _text(value["id"]),
        _text(value["rule"]),
        _texts(value["relations"]),
        tuple(_fact(each) for each in _list(value["facts"])),
        tuple(map(_question, _list(value["antecedents"]))),
        tuple(map(_question, _list(value["consequences"]))),
        value.get("mined", False) is True,
    )
    if not case.consequences:
        raise ValueError("it has no consequences")
    return case


def _question(value: Any) -> Question:
    if not isinstance(value, Mapping):
        raise TypeError("a question is not an object")
    given = value["claim"]
    claim = None if given is None else Claim(_text(given["subject"]), _texts(given["path"]), _text(given["object"]))
    _check_form(value)
    return Question(
        _text(value["question"]),
        _text(value["expected"]),
        _text(value["context"]),
        claim,
        _text(value.get("kind", "")),
        _text(value.get("why", "")),
        _text(value.get("form", "yes-no")),
        _texts(value.get("right", [])),
        _texts(value.get("wrong", [])),
    )


def _check_form(value: Mapping[str, Any]) -> None:
    form, expected, kind = value.get("form", "yes-no"), value["expected"], value.get("kind", "")
    if form not in FORMS:
        raise ValueError(f"the form {form!r:.40} is not {', '.join(FORMS)}")
    if form == "yes-no" and expected not in ("yes", "no"):
        raise ValueError(f"the expected answer {expected!r:.40} is not yes or no")
    if form != "yes-no" and not value.get("right"):
        raise ValueError(f"a question of the form {form} has no right answer")
    if kind not in ("", "basic", "extended"):
        raise ValueError(f"the kind {kind!r:.40} is not basic or extended")


def _fact(value: Any) -> Fact:
    subject, predicate, object_ = _texts(value)
    return subject, predicate, object_


def _list(value: Any) -> Iterator[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is not a list")
    return iter(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    if not value.isascii():
        value.encode()  # JSON can escape half a character, which no file can hold; this is a ValueError
    return value
