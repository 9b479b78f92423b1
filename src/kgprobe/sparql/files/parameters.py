"""Variables that a program gives a value before a query runs: names in calls that bind variables, and in mappings.

A program is not followed. A name counts if it is handed to a function that is called like one that binds a variable,
as `setBinding("x", …)`, or is a key of a mapping that is called `bindings`.
"""

from __future__ import annotations

import re

__all__ = ["given_by_program"]

_QUOTED = r"[\"'`][\\\[?$]*(?P<name>\w+)\]?[\"'`]"
_SETTER = re.compile(
    rf"\b\w*(?:set|bind|param|subst|repl|inject|alloc|variable)\w*\s*\(\s*{_QUOTED}\s*[,)]"
    r"|\b(?:add|put|g?sub|str_replace(?:_all)?)\s*\((?:\s*\w+\s*,)?\s*" + _QUOTED.replace("name", "other") + r"\s*,",
    re.IGNORECASE,
)
_MAPPING = re.compile(r"(?:bindings|substitutions|parameters|params)\b[^;{}()]{0,40}(?:[^;{}()]{0,40}\()?\s*[{(]", re.I)
_KEY = re.compile(r"[\"']?[?$]?\b(?P<name>[A-Za-z_]\w*)[\"']?\s*[:=](?![:=])")
_LONGEST = 2000


def given_by_program(text: str) -> frozenset[str]:
    """The names that a program gives a value where it seems to bind the variables of a query."""
    names = {name for found in _SETTER.finditer(text) for name in found.groups() if name}
    for mapping in _MAPPING.finditer(text):
        end = min((place for sign in "})" if (place := text.find(sign, mapping.end())) >= 0), default=len(text))
        names |= {key["name"] for key in _KEY.finditer(text, mapping.end(), min(end, mapping.end() + _LONGEST))}
    return frozenset(names)
