"""Articles: "a" or "an" by sound, and texts that already begin with an article."""

from __future__ import annotations

import re

__all__ = ["indefinite", "without_article"]

_ARTICLE = re.compile(r"(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# The names of these letters begin with a vowel: an F, an MP.
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_SILENT_H = re.compile(r"(?:heir|honest|honou?r|hour|hors d)", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(
    r"(?:eu|ew(?:e|er)\b|once\b|one\b|ones?-|ouija|u(?:ni(?!n|m)|s[aeu]|b(?:iq|er)|k|r[aeiou]|t[eio]|fo|[^aeiou]?$))",
    re.IGNORECASE,
)


def without_article(text: str) -> str:
    """The text without an article in front."""
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


def indefinite(text: str) -> str:
    """ "a" or "an", whichever fits before the text."""
    word = _WORD.search(text)
    first = word.group() if word else ""
    return "an" if first[:1].lower() in "aeiou" and not _CONSONANT_SOUND.match(first) else "a"
