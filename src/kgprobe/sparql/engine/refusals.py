"""Says in words what pyoxigraph says in terms of its grammar: a text is not an IRI, a language tag or an escape."""

from __future__ import annotations

import re

__all__ = ["refusal"]

_IRI_BEFORE = re.compile(r"<[^<>\n]*>?\Z")
_NAME_BEFORE = re.compile(r"(?:[^\s<>\"'(){}\[\],;|/^!\\]|\\.)*:(?:[^\s<>\"'(){}\[\],;|/^!\\]|\\.)*\Z")
_NOT_IN_IRIS = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_ESCAPES = "'t' | 'b' | 'n'"


def refusal(expected: str, text: str, offset: int) -> tuple[str, int] | None:
    """A message for what pyoxigraph expected at an offset, and its place; None if it is best said as it is."""
    if "IRI parsing failed" in expected:
        return _no_iri(text[:offset].rstrip())
    if "language tag parsing failed" in expected and (start := text.rfind("@", 0, offset)) >= 0:
        return f"{text[start:offset]} is not a language tag, such as @en or @en-GB", start
    if _ESCAPES in expected and text[offset - 1 : offset] == "\\":
        written = text[offset - 1 : offset + 1]
        return f"{written} is not an escape of a string: they are \\t \\b \\n \\r \\f \\\" \\' \\\\", offset - 1
    return None


def _no_iri(before: str) -> tuple[str, int] | None:
    """What is wrong with the IRI at the end of a text."""
    if found := _IRI_BEFORE.search(before):
        wrong = _NOT_IN_IRIS.search(found[0].strip("<>"))
        if wrong is not None:
            what = "a space" if wrong[0].isspace() else f"the character {wrong[0]}"
            return f"{found[0]} is not an IRI: it has {what}", found.start()
        if ":" not in found[0].partition("/")[0]:
            return f"{found[0]} is relative, and the query has no BASE", found.start()
        return f"{found[0]} is not an IRI", found.start()
    if found := _NAME_BEFORE.search(before):
        return f"{found[0]} stands for something that is not an IRI", found.start()
    return None
