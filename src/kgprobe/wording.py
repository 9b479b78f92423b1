"""English that every part of kgprobe needs: numbers with nouns."""

from __future__ import annotations

import re

__all__ = ["number_of"]

_HISS = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_AND_Y = re.compile(r"(?<=[^aeiou])y$")


def number_of(count: int, noun: str) -> str:
    """A number with a noun: 1 triple, 2 triples, 1,000 queries."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun}es" if _HISS.search(noun) else f"{_CONSONANT_AND_Y.sub('ie', noun)}s"
    return f"{count:,} {plural}"
