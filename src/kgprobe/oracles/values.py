"""What a system answered as a set of facts, so that two answers can be compared and the difference shown.

A fact has a shape, which has no names of the graph in it, and a text, which has.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kgprobe.graph.terms import BlankNode, Literal, NamedNode

__all__ = ["Fact", "answer_text", "is_by_question", "is_single", "value_facts"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Keys of an answer that could be names of queries. What looks like an IRI or a blank node is a name of the graph.
_PLAIN_NAME = re.compile(r"[\w .\-]{1,80}")
UNSATISFIABLE_CLASSES = "unsatisfiable classes"


class Fact(NamedTuple):
    """One thing that an answer says."""

    shape: str
    text: str


def is_single(value: Any) -> bool:
    """Whether an answer is one thing, such as a truth value or a number, and no collection of things."""
    return isinstance(value, bool | int | float | str | bytes | NamedNode | BlankNode | Literal)


def is_by_question(value: Any) -> bool:
    """Whether an answer is made of answers to several questions, by their names."""
    return isinstance(value, Mapping) and all(isinstance(key, str) and _PLAIN_NAME.fullmatch(key) for key in value)


def answer_text(value: Any) -> str:
    """One item of an answer as text. Labels of blank nodes mean nothing elsewhere, so they are counted in each item."""
    return _text(value, {})


def value_facts(value: Any, question: str = "") -> frozenset[Fact]:
    """The facts of an answer that is plain data.

    The order of a list is no fact, but how often an item comes is. `question` says what was asked, if that is known.
    """
    return frozenset(_facts(value, question))


def _facts(value: Any, question: str) -> Iterator[Fact]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry_facts(str(key), inner, _entry_shape(str(key), inner, question))
    elif isinstance(value, set | frozenset | list | tuple):
        yield from (Fact(_rows_shape(question), text) for text in _counted(value))
    else:
        yield Fact("answer", answer_text(value))


def _entry_facts(path: str, value: Any, shape: str) -> Iterator[Fact]:
    if isinstance(value, Mapping) and not _is_blank(value):
        for key, inner in value.items():
            yield from _entry_facts(f"{path}.{key}", inner, shape)
    elif isinstance(value, set | frozenset | list | tuple):
        yield from (Fact(shape, f"{path} = {text}") for text in _counted(value))
    else:
        yield Fact(shape, f"{path} = {answer_text(value)}")


def _rows_shape(question: str) -> str:
    if question == UNSATISFIABLE_CLASSES:
        return "unsatisfiable class"
    return f"rows of {question}" if question else "fact"


def _entry_shape(key: str, value: Any, question: str) -> str:
    if question or not _PLAIN_NAME.fullmatch(key):
        return _rows_shape(question)
    return f"rows of {key}" if isinstance(value, set | frozenset | list | tuple) else f"value of {key}"


def _counted(items: Iterable[Any]) -> Iterator[str]:
    """The items as texts; one that comes again is told apart by its number."""
    for text, count in Counter(map(answer_text, items)).items():
        yield text
        yield from (f"{text} (time {n})" for n in range(2, count + 1))


def _text(value: Any, labels: dict[str, str]) -> str:
    if isinstance(value, BlankNode):
        return labels.setdefault(value.value, f"_:b{len(labels) + 1}")
    if isinstance(value, Mapping):
        if _is_blank(value):
            return labels.setdefault(str(value["value"]), f"_:b{len(labels) + 1}")
        entries = sorted(value.items(), key=lambda entry: str(entry[0]))
        return "{" + ", ".join(f"{key}: {_text(inner, labels)}" for key, inner in entries) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(_text(item, labels) for item in value)) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_text(item, labels) for item in value) + ")"
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return _ADDRESS.sub("", str(value))


def _is_blank(value: Mapping[Any, Any]) -> bool:
    """Whether this is a blank node as the JSON format of query results has it."""
    return value.get("type") == "bnode" and "value" in value
