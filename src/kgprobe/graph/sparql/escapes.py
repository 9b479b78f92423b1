"""Decodes escaped characters in SPARQL."""

from __future__ import annotations

import re
import sys

__all__ = ["decoded", "unescaped"]

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CODE_POINT = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def decoded(text: str) -> str:
    """A query with its code point escapes decoded. SPARQL allows them everywhere, even in keywords."""
    if "\\u" not in text and "\\U" not in text:
        return text
    return _CODE_POINT.sub(lambda found: _character(found[1] or found[2]), text)


def unescaped(text: str) -> str:
    """The content of a string or an IRI, without its quotes."""
    if "\\" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return _character(code) if code else _ESCAPED.get(found[3], found[3])

    return _ESCAPE.sub(replace, text)


def _character(code: str) -> str:
    number = int(code, 16)
    return chr(number) if number <= sys.maxunicode else "\ufffd"
