"""What is wrong with an undecided answer to a yes-no question, as in Table 9 of the paper on inference testing.

A system may answer with a name instead of yes or no. If it is the name that the question is about, only the format of
the answer is wrong: "male" for "Is the producer of What If a female?". Otherwise the keyword is wrong, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgprobe.model import Prompt
from kgprobe.questions.reading.text import plain, tokens_of, without_thinking

__all__ = ["WRONG_FORMAT", "WRONG_KEYWORD", "kind_of"]

WRONG_FORMAT, WRONG_KEYWORD = "wrong format", "wrong keyword"

_LONGEST_NAME = 6
_ARTICLES = frozenset({"a", "an", "the"})
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def kind_of(answer: str, prompt: Prompt) -> str:
    """The kind of an answer that decides nothing: empty if it is not a name or another keyword."""
    name = _words(without_thinking(plain(answer)))
    if not 0 < len(name) <= _LONGEST_NAME:
        return ""
    return WRONG_FORMAT if _is_right(name, prompt) else WRONG_KEYWORD


def _words(text: str) -> list[str]:
    return [token.text for token in tokens_of(plain(text)) if token.is_word and token.text not in _ARTICLES]


def _is_right(name: Sequence[str], prompt: Prompt) -> bool:
    """Whether the name answers the question: its subject if yes is expected, else the one in the context."""
    question = _words(prompt.text)[1:]
    if prompt.expected == "yes":
        return question[: len(name)] == name or question[-len(name) :] == name
    if _has(question, name) or not _has(_words(prompt.context), name):
        return False
    # Sentences about the same relation as the question: they end their subject before the words that both share.
    subjects = [subject for sentence in _SENTENCE.split(prompt.context) if (subject := _subject(sentence, question))]
    return not subjects or list(name) in subjects


def _subject(sentence: str, question: list[str]) -> list[str] | None:
    """The subject of a sentence whose predicate begins like that of the question: "family name of"."""
    words = _words(sentence)
    if "is" not in words[1:]:
        return None
    verb = words.index("is", 1)
    predicate = words[verb + 1 :]
    relation = next((predicate[: i + 1] for i, word in enumerate(predicate) if word in ("of", "in", "for") and i), None)
    if relation is None or question[: len(relation)] == relation:  # "Is the producer of What If a female?"
        return None
    return words[:verb] if _has(question, relation) else None


def _has(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[i : i + len(part)]) == list(part) for i in range(len(words) - len(part) + 1))
