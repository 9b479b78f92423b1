"""Claims in other words: "wrote" for "is the author of", and "lies in" for "is a place in".

The words of a sentence are turned into those of the question, so that the two can be compared word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgprobe.questions.reading.asking import contains
from kgprobe.questions.reading.languages import ENGLISH, languages

__all__ = ["reworded"]

_ENGLISH = languages()[ENGLISH]
_PLACES, _INSIDE, _LIES, _CONTAINS = (_ENGLISH.words[name] for name in ("places", "inside", "lies", "contains"))
_AUXILIARIES, _MODIFIERS, _SETTLEMENTS = (_ENGLISH.words[name] for name in ("auxiliaries", "modifiers", "settlements"))
_MORE = frozenset({"in", "with", "together", "along", "since", "until", "alongside"})
_TIMES = frozenset({"centuries", "decades", "years", "ages", "long"})
_DIRECTIONS = _ENGLISH.words["directions"]
_SUBJECTS = {"him": "he", "her": "she", "them": "they"}
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
_IMPLIED = {
    **dict.fromkeys(("mother", "father"), "parent"),
    **dict.fromkeys(("son", "daughter"), "child"),
    **dict.fromkeys(("brother", "sister"), "sibling"),
    **dict.fromkeys(("husband", "wife"), "spouse"),
}
_INVERSE = {"parent": "child", "child": "parent"}
_WRITERS = frozenset({"author", "writer"})
_WORKS = frozenset({"novel", "book", "poem", "play", "work", "story", "essay"})
_SAME = {"man": "male", "woman": "female", "male": "man", "female": "woman"}


def reworded(words: Sequence[str], claim: Sequence[str], *, is_denied: bool, is_definite: bool) -> Iterator[list[str]]:
    """The words of a sentence with the noun of the claim, if they can be put so. Neither has articles.

    `is_denied`: the sentence is negated. Who is not the sole author can be an author, so less can be put otherwise.
    `is_definite`: the claim has "the", so that one of several is not it.
    """
    words = _without_year(words)
    if not is_denied and words[1:-1] and (shorter := _without_more(words, claim)) != words:
        yield shorter
        words = shorter
    yield from _in_usual_words(words, is_definite=is_definite)
    if words and claim and _SAME.get(words[-1]) == claim[-1]:
        yield [*words[:-1], claim[-1]]
    if not is_denied and _MODIFIERS.intersection(words):
        yield [word for word in words if word not in _MODIFIERS]
    for position in range(1, len(claim) - 2) if not is_denied else ():
        yield from _by_kinship(words, claim[position], claim[:position], claim[position + 2 :])
    for position in range(1, len(claim) - 2):
        noun, preposition = claim[position], claim[position + 1]
        if preposition == "of":
            yield from _as_genitive(words, noun, claim[position + 2 :])
        if noun in _PLACES and preposition in _INSIDE:
            yield from _as_place(words, ["is", noun, preposition], is_denied=is_denied)
        elif (preposition == "of" or noun.endswith("ment")) and (forms := _verb_forms(noun)):
            yield from _as_agent(words, ["is", noun, preposition], forms)


def _by_kinship(words: Sequence[str], noun: str, person: Sequence[str], other: Sequence[str]) -> Iterator[list[str]]:
    """With "parent" for "mother", and "Ann is parent of Bob" for "Bob is son of Ann"."""
    named = [_IMPLIED.get(word, word) for word in words]
    if named != list(words) and noun in named:
        yield named
        yield from _as_genitive(named, noun, other)
    if (inverse := _INVERSE.get(noun)) in named:
        of = [*other, "is", inverse, "of", *person]
        owned = [*other, "is", *person, "s", inverse]
        if named in (of, owned):
            yield [*person, "is", noun, "of", *other]


def _in_usual_words(words: list[str], *, is_definite: bool) -> Iterator[list[str]]:
    """With "is" for "serves as" and for "'s", and "capital" for "capital city"."""
    if not _AUXILIARIES.intersection(words) and words[1:].count("s") == 1:  # "Marie's the mother of Noel"
        yield ["is" if word == "s" else word for word in words]
    if (place := contains(words, ("serves", "as"))) > 0:
        yield [*words[:place], "is", *words[place + 2 :]]
    if (
        (place := contains(words, ("one", "of"))) > 0 and words[place + 2 : place + 3] and not is_definite
    ):  # "is one of the parts of"
        plural = words[place + 2]
        for singular in (plural.removesuffix("s"), plural.removesuffix("es"), f"{plural.removesuffix('ies')}y"):
            yield [*words[:place], singular, *words[place + 3 :]]
    if (place := contains(words, ("capital", "city"))) > 0:
        yield [*words[: place + 1], *words[place + 2 :]]


def _without_more(words: list[str], claim: Sequence[str]) -> list[str]:
    """Without what follows the end of the claim: "in Saxony-Anhalt in Germany", "with his brother"."""
    for length in range(3, 0, -1):
        end = tuple(claim[-length:])
        place = contains(words, end)
        after = words[place + length :] if place > 1 else []
        if after and (after[0] in _MORE or (after[0] == "for" and after[-1] in _TIMES)):
            return words[: place + length]
    return words


def _as_genitive(words: list[str], noun: str, thing: Sequence[str]) -> Iterator[list[str]]:
    """With "author of it" for "its author", and "capital of France" for "France's capital"."""
    for position, word in enumerate(words):
        if word != noun or position == 0:
            continue
        owner = [*thing, "s"]
        start = position - len(owner)
        if words[position - 1] == "its":
            yield [*words[: position - 1], noun, "of", "it", *words[position + 1 :]]
        elif start >= 0 and words[start:position] == owner:
            yield [*words[:start], noun, "of", *thing, *words[position + 1 :]]


def _without_year(words: Sequence[str]) -> list[str]:
    """Without a year at the end: "in 1818"."""
    return list(words[:-2] if len(words) > 4 and words[-2] == "in" and words[-1].isdigit() else words)


def _as_place(words: list[str], middle: list[str], *, is_denied: bool) -> Iterator[list[str]]:
    for position, word in enumerate(words[:-1]):
        if position == 0 or word not in _LIES | _CONTAINS:
            continue
        before, after = _without_auxiliaries(words[:position]), words[position + 1 :]
        if word in _CONTAINS:
            yield [*_whole(after), *middle, *before]
            continue
        inside = next((i for i, each in enumerate(after) if each in _INSIDE | {"to"}), None)
        if inside is None:
            continue
        is_settlement = inside > 0 and after[inside - 1] in _SETTLEMENTS and not is_denied
        is_part = inside == 1 and after[0] in _PLACES
        if inside == 0 or is_part or is_settlement:
            yield [*before, *middle, *_whole(after[inside + 1 :])]


def _whole(words: list[str]) -> list[str]:
    """The place itself for a part of it, or without its kind: "the southern part of France", "the city of Lyon"."""
    if words[:1] and words[0] in _DIRECTIONS:
        words = words[1:]
    for position, word in enumerate(words[:-2]):
        if word in _ENGLISH.verbs | _ENGLISH.subjects:
            break
        if word in _PLACES | _SETTLEMENTS and words[position + 1] == "of":
            return words[position + 2 :]
    return words


def _without_auxiliaries(words: list[str]) -> list[str]:
    while words and words[-1] in _AUXILIARIES:
        words = words[:-1]
    return words


def _as_agent(words: list[str], middle: list[str], forms: frozenset[str]) -> Iterator[list[str]]:
    for position, word in enumerate(words):
        if position and middle[1] in _WRITERS and word in _WORKS and words[position + 1 : position + 2] == ["by"]:
            yield [*words[position + 2 :], *middle, *_without_auxiliaries(words[:position])]
        if position == 0 or word not in forms:
            continue
        before, after = _without_auxiliaries(words[:position]), words[position + 1 :]
        if after[:1] == ["by"]:
            yield [*(_SUBJECTS.get(each, each) for each in after[1:]), *middle, *before]
        elif after:
            yield [*before, *middle, *after]


def _verb_forms(noun: str) -> frozenset[str]:
    """The forms of the verb that a noun for a person is made from: "create", "creates", "created" for "creator"."""
    if noun in _IRREGULAR:
        return frozenset(_IRREGULAR[noun])
    if noun.endswith("ment") and len(noun) > _SHORTEST_AGENT:
        stem = noun.removesuffix("ment")
        return frozenset((stem, f"{stem}s", f"{stem}ed"))
    if not noun.endswith(_AGENTS) or len(noun) < _SHORTEST_AGENT:
        return frozenset()
    stem = noun[:-2]
    return frozenset((stem, f"{stem}e", f"{stem}s", f"{stem}es", f"{stem}ed"))
