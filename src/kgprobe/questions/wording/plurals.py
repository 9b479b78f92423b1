"""Plurals of nouns, for questions about numbers."""

from __future__ import annotations

import re

__all__ = ["plural"]

_IRREGULAR = {
    "alumna": "alumnae",
    "alumnus": "alumni",
    "child": "children",
    "criterion": "criteria",
    "foot": "feet",
    "life": "lives",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "phenomenon": "phenomena",
    "tooth": "teeth",
    "wife": "wives",
    "woman": "women",
}
_SAME = frozenset({"aircraft", "deer", "fish", "headquarters", "offspring", "series", "sheep", "software", "species"})
_ENDINGS = (
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(?<=[^aeiou])man$"), "men"),
    (re.compile(r"(?<=.)is$"), "es"),
    (re.compile(r"(?<=lf|af|ea)f$"), "ves"),
    (re.compile(r"(?<=s|x|z)$|(?<=ch|sh)$"), "es"),
)
_INNER = re.compile(r"\s+(?:of|in|for|at|to|on|with|by|from)\s")


def plural(noun: str) -> str:
    """The plural of a noun phrase: "places of birth"."""
    inner = _INNER.search(noun)
    phrase, rest = (noun[: inner.start()], noun[inner.start() :]) if inner else (noun, "")
    before, space, last = phrase.rpartition(" ")
    return f"{before}{space}{_word(last)}{rest}"


def _word(word: str) -> str:
    if word in _SAME:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.isupper():
        return word + "s"
    for ending, plural_ending in _ENDINGS:
        made, count = ending.subn(plural_ending, word, count=1)
        if count:
            return made
    return word + "s"
