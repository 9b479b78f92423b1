"""Claims in other words: "wrote" for "is the author of", and "lies in" for "is a place in".

The words of a sentence are turned into those of the question, so that the two can be compared word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgprobe.questions.reading.languages import ENGLISH, languages

__all__ = ["reworded"]

_ENGLISH = languages()[ENGLISH]
_PLACES, _INSIDE, _LIES, _CONTAINS = (_ENGLISH.words[name] for name in ("places", "inside", "lies", "contains"))
_AUXILIARIES = _ENGLISH.words["auxiliaries"]
_AGENTS = ("er", "or")
_SHORTEST_AGENT = 5  # letters: "owner", but not "heir of" or "her"
_IRREGULAR = {
    "author": ("write", "writes", "wrote", "written", "author", "authored"),
    "writer": ("write", "writes", "wrote", "written"),
    "maker": ("make", "makes", "made"),
    "builder": ("build", "builds", "built"),
    "leader": ("lead", "leads", "led"),
    "winner": ("win", "wins", "won"),
    "singer": ("sing", "sings", "sang", "sung"),
}
_SAME = {"man": "male", "woman": "female", "male": "man", "female": "woman"}


def reworded(words: Sequence[str], claim: Sequence[str]) -> Iterator[list[str]]:
    """The words of a sentence with the noun of the claim, if they can be put so. Neither has articles."""
    words = _without_year(words)
    if words and claim and _SAME.get(words[-1]) == claim[-1]:
        yield [*words[:-1], claim[-1]]
    for position in range(1, len(claim) - 2):
        noun, preposition = claim[position], claim[position + 1]
        if noun in _PLACES and preposition in _INSIDE:
            yield from _as_place(words, ["is", noun, preposition])
        elif preposition == "of" and (forms := _verb_forms(noun)):
            yield from _as_agent(words, ["is", noun, "of"], forms)


def _without_year(words: Sequence[str]) -> list[str]:
    """Without a year at the end: "in 1818"."""
    return list(words[:-2] if len(words) > 4 and words[-2] == "in" and words[-1].isdigit() else words)


def _as_place(words: list[str], middle: list[str]) -> Iterator[list[str]]:
    for position, word in enumerate(words[:-1]):
        if position and word in _LIES and words[position + 1] in _INSIDE | {"to"}:
            yield [*words[:position], *middle, *_whole(words[position + 2 :])]
        elif position and word in _CONTAINS:
            yield [*words[position + 1 :], *middle, *words[:position]]


def _whole(words: list[str]) -> list[str]:
    """The place itself for a part of it: "the southern part of France"."""
    for position, word in enumerate(words[:-2]):
        if word in _PLACES and words[position + 1] == "of":
            return words[position + 2 :]
    return words


def _as_agent(words: list[str], middle: list[str], forms: frozenset[str]) -> Iterator[list[str]]:
    for position, word in enumerate(words):
        if position == 0 or word not in forms:
            continue
        before, after = words[:position], words[position + 1 :]
        while before and before[-1] in _AUXILIARIES:
            before = before[:-1]
        if after[:1] == ["by"]:
            yield [*after[1:], *middle, *before]
        elif after:
            yield [*before, *middle, *after]


def _verb_forms(noun: str) -> frozenset[str]:
    """The forms of the verb that a noun for a person is made from: "create", "creates", "created" for "creator"."""
    if noun in _IRREGULAR:
        return frozenset(_IRREGULAR[noun])
    if not noun.endswith(_AGENTS) or len(noun) < _SHORTEST_AGENT:
        return frozenset()
    stem = noun[:-2]
    return frozenset((stem, f"{stem}e", f"{stem}s", f"{stem}es", f"{stem}ed"))
