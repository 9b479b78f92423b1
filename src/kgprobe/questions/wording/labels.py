"""Words made from the label of a relation, where that is safe."""

from __future__ import annotations

import re

from kgprobe.questions.wording.articles import indefinite
from kgprobe.questions.wording.words import Words

__all__ = ["words_of_label", "words_of_local_name"]

_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "of", "on", "to", "with"})
_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*")

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def words_of_label(label: str, *, is_functional: bool = False) -> Words | str:
    """The words that the label gives, or why it gives none."""
    words = label.split()
    if words[:1] == ["has"]:
        words = words[1:]
    if not words or not all(map(_WORD.fullmatch, words)):
        return "the label is not words"
    noun = " ".join(words)
    if words[-1] in _PREPOSITIONS:
        noun = " ".join(words[:-1])
        return Words(indefinite(noun), noun, words[-1], is_turned=True, is_from_label=True)
    return Words("the" if is_functional else indefinite(noun), noun, "of", is_from_label=True)


def words_of_local_name(name: str, *, is_functional: bool = False) -> Words | str:
    """The words that the last part of an IRI gives, such as "birthPlace", or why it gives none."""
    return words_of_label(_CAMEL.sub(" ", name).replace("_", " ").lower(), is_functional=is_functional)
