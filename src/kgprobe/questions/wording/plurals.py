"""Plurals of nouns, for questions about numbers."""

from __future__ import annotations

import re

__all__ = ["plural"]

# Endings, longest first: "grandchild" and "spokeswoman" are among them, and "human" is not.
_IRREGULAR = {
    "alumna": "alumnae",
    "alumnus": "alumni",
    "criterion": "criteria",
    "phenomenon": "phenomena",
    "person": "people",
    "taxon": "taxa",
    "child": "children",
    "woman": "women",
    "mouse": "mice",
    "tooth": "teeth",
    "goose": "geese",
    "foot": "feet",
    "wife": "wives",
    "life": "lives",
    "half": "halves",
    "quiz": "quizzes",
}
_SAME = frozenset({"aircraft", "deer", "fish", "headquarters", "offspring", "series", "sheep", "software", "species"})
_IN_OES = frozenset({"cargo", "echo", "embargo", "hero", "mosquito", "potato", "tomato", "torpedo", "veto", "volcano"})
_ENDINGS = (
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(?<=s|d|e|h|n|r)man$"), "men"),  # spokesman, nobleman; not human, shaman
    (re.compile(r"(?<=[^aeiou])is$"), "es"),
    (re.compile(r"(?<=l)f$|(?<=ea)f$|(?<=ar)f$"), "ves"),
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
    if word.isupper():
        return word + "s"
    if word in _IN_OES:
        return word + "es"
    for singular, several in _IRREGULAR.items():
        if word.endswith(singular):
            return word.removesuffix(singular) + several
    for ending, plural_ending in _ENDINGS:
        made, count = ending.subn(plural_ending, word, count=1)
        if count:
            return made
    return word + "s"
