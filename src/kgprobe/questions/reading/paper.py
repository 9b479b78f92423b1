"""The reader `paper`: the keywords of the paper on inference testing, for comparisons with its results.

It keeps the English letters of an answer, and looks for "yes", then for "no". So "Norway" and "I don't know" are a no,
and an answer with both is a yes, because the paper names "yes" first. Answers in other scripts are undecided.
"""

from __future__ import annotations

import re

from kgprobe.model import Reading

__all__ = ["read_paper"]

_OTHERS = re.compile(r"[^a-z]+")


def read_paper(answer: str, question: str = "") -> Reading:  # noqa: ARG001 - all readers get the question
    """The decision of an answer by the keywords "yes" and "no"."""
    letters = _OTHERS.sub("", answer.lower())
    for word in ("yes", "no"):
        if word in letters:
            return Reading(word, f'contains "{word}"')
    return Reading("undecided", 'contains neither "yes" nor "no"')
