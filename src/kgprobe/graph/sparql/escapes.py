"""Characters that a text of SPARQL has in another spelling."""

from __future__ import annotations

import re

__all__ = ["unescaped"]

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def unescaped(text: str) -> str:
    """What a string or an IRI says, without its quotes."""
    if "\\" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])

    return _ESCAPE.sub(replace, text)
