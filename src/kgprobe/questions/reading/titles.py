"""Names with words that decide: "No Country for Old Men" is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.questions.reading.languages import ENGLISH, languages
from kgprobe.questions.reading.text import is_title, tokens_of

__all__ = ["without_deciding_names"]

_DECIDING = languages()[ENGLISH]
_KINDS = frozenset({"yes", "no", "negation", "true", "false", "open"})
_LITTLE = r"(?:of|the|and|for|to|in|on|at|a|an|is|or|with|from|by|de|la)"
_CAPITAL = r"[A-Z][\w'\u2019-]*"
_NAME = re.compile(rf"{_CAPITAL}(?: (?:(?:{_LITTLE} ){{0,2}}{_CAPITAL}|\d+\b))+")
_QUOTED = re.compile(r"[\"\u201c\u00ab](?P<name>[A-Z][^\"\u201c\u201d\u00bb.:\n]{2,60})[\"\u201d\u00bb]")
_MARK = "Xnamed"


def without_deciding_names(text: str, question: str) -> tuple[str, str]:
    """The text and the question, with other words for names that hold a yes, a no or the like."""
    names = [name for name in _names(text, question) if _decides(name)]
    for number, name in enumerate(sorted(dict.fromkeys(names), key=len, reverse=True)):
        mark = _MARK + "abcdefghijklmnopqrstuvwxyz"[number % 26] * (number // 26 + 1)
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        text, question = whole.sub(mark, text), whole.sub(mark, question)
    return text, question


def _names(text: str, question: str) -> Iterator[str]:
    """The names of the question after its first word, and quoted titles of the text."""
    _, _, rest = question.partition(" ")
    yield from (match[0] for match in _NAME.finditer(rest))
    for match in _QUOTED.finditer(text):
        words = [token for token in tokens_of(match["name"]) if token.is_word]
        if is_title([token for token in words if not re.fullmatch(_LITTLE, token.text)]):
            yield match["name"]


def _decides(name: str) -> bool:
    tokens = [token for token in tokens_of(name) if token.is_word]
    if len(tokens) < 2 or _DECIDING.match(tokens, 0)[0] == len(tokens):
        return False
    return any(_DECIDING.match(tokens, place)[1] & _KINDS for place in range(len(tokens)))
