"""Variables that a program gives a value before a query runs: names in calls that bind variables, and in mappings.

A program is not followed. A name counts if it is handed to a function that is called like one that binds a variable,
as `setBinding("x", …)`, or is a key of a mapping that is called `bindings`.
"""

from __future__ import annotations

import re

__all__ = ["given_by_program"]

_QUOTED = r"[\"'`][\\\[?$]*(\w+)\]?[\"'`]"
_NAME = rf"(?:{_QUOTED}|([A-Za-z_]\w*))"
_SETTER = re.compile(
    rf"\b\w*(?:set|bind|param|subst|repl|inject|alloc|variable)\w*\s*\(\s*{_NAME}\s*[,)]"
    rf"|\b(?:add|put|g?sub|str_replace(?:_all)?)\s*\((?:\s*\w+\s*,)?\s*{_NAME}\s*,",
    re.IGNORECASE,
)
_CONSTANT = re.compile(rf"\b([A-Za-z_]\w*)\s*(?:=|<-)\s*{_QUOTED}")
_MAPPING = re.compile(r"(?:bindings|substitutions|parameters|params)\b[^;{}()]{0,40}(?:[^;{}()]{0,40}\()?\s*[{(]", re.I)
_KEY = re.compile(r"[\"']?[?$]?\b([A-Za-z_]\w*)[\"']?\s*[:=](?![:=])")
_LONGEST = 2000


def given_by_program(text: str) -> frozenset[str]:
    """The names that a program gives a value where it seems to bind the variables of a query."""
    names: set[str] = set()
    constants: set[str] = set()
    for one, first, other, second in _SETTER.findall(text):
        names |= {one, other}
        constants |= {first, second}
    names |= {value for name, value in _CONSTANT.findall(text) if name in constants}
    for mapping in _MAPPING.finditer(text):
        end = min((place for sign in "})" if (place := text.find(sign, mapping.end())) >= 0), default=len(text))
        names |= set(_KEY.findall(text, mapping.end(), min(end, mapping.end() + _LONGEST)))
    return frozenset(names - {""})
