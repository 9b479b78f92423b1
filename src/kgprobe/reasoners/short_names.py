"""Axioms under short names: for a reasoner that spends much of its time on reading, when no name is in its answer."""

from __future__ import annotations

import re

__all__ = ["shortened"]

# A literal comes first, so that what looks like an IRI inside it is left alone.
_PARTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|<(?!http://www\.w3\.org/)[^>]*>', re.DOTALL)
_DECLARATIONS = re.compile(r"^Declaration\(.*\n", re.MULTILINE)


def shortened(axioms: str) -> str:
    """The axioms with a short name for each IRI that is not OWL's own, and without declarations."""
    names: dict[str, str] = {}

    def short(part: re.Match[str]) -> str:
        text = part[0]
        if text[0] == '"':
            return text
        name = names.get(text)
        if name is None:
            name = names[text] = f"<i:{len(names)}>"
        return name

    return _PARTS.sub(short, _DECLARATIONS.sub("", axioms))
