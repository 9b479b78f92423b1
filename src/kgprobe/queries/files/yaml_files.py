"""The queries in a YAML file: block scalars, quoted and plain scalars that look like a query.

Only the form of scalars matters, so that a file which a template engine completes can be read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.queries.files.located import Located, joined, looks_like_query, unescaped, verbatim, without_margin

__all__ = ["queries_in_yaml"]

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_BLOCK = re.compile(
    r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>[^\n]*?:[ ]+|-?)(?:[&!][^\s]+[ ]+)*(?P<style>[|>])[+\-0-9]{0,2}[ ]*"
    r"(?:#[^\n]*)?\r?$"
)
_SCALAR = re.compile(r"[ ]*(?:-[ ]+)*(?:[^\s:'\"#][^\n:]*:[ ]+|-[ ]+)?(?=\S)")
_DOUBLE = re.compile(r'"((?>(?:[^"\\]|\\.)*))"', re.DOTALL)
_SINGLE = re.compile(r"'((?>(?:[^']|'')*))'")


def queries_in_yaml(text: str) -> Iterator[Located]:
    """The scalars that look like a query."""
    place = 0
    while place < len(text):
        line = _LINE.match(text, place)
        assert line is not None  # noqa: S101 - it matches anything
        block = _BLOCK.match(line[0].rstrip("\n"))
        if block is not None:
            start, end, margin = _body(text, line.end(), len(block["lead"]) if block["key"].strip() else 0)
            found = without_margin(text, start, end, re.compile(rf"[ ]{{0,{margin}}}"))
            found = _folded(found) if block["style"] == ">" else found
            place = end
        else:
            found, place = _scalar(text, line.start(), line.end())
        if looks_like_query(found.text):
            yield found
        place = max(place, line.end())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _body(text: str, start: int, parent: int) -> tuple[int, int, int]:
    """The extent of the lines of a block scalar, and their indentation."""
    margin = None
    end = place = start
    while place < len(text):
        line = _LINE.match(text, place)
        assert line is not None  # noqa: S101 - it matches anything
        if line[0].strip():
            margin = _indent(line[0]) if margin is None else margin
            if _indent(line[0]) < max(margin, parent + 1):
                break
            end = line.end()
        place = line.end()
    return start, end, margin or 0


def _folded(located: Located) -> Located:
    """A folded scalar: a single line end is a space."""
    text = re.sub(r"(?<=[^\n])\n(?=[^\n ])", " ", located.text)
    return Located(text, located.offsets)


def _scalar(text: str, start: int, end: int) -> tuple[Located, int]:
    """The value that begins on a line, and where it ends."""
    lead = _SCALAR.match(text, start, end)
    value = lead.end() if lead else start
    if text[value : value + 1] == '"' and (quoted := _DOUBLE.match(text, value)) is not None:
        return unescaped(text, *quoted.span(1)), quoted.end()
    if text[value : value + 1] == "'" and (quoted := _SINGLE.match(text, value)) is not None:
        inside = [verbatim(text, *piece) for piece in _between_quotes(text, *quoted.span(1))]
        return joined(inside) if inside else verbatim(text, value, value), quoted.end()
    stop = end
    margin = _indent(text[start:end])
    while stop < len(text):
        following = _LINE.match(text, stop)
        if following is None or not following[0].strip() or _indent(following[0]) <= margin:
            break
        stop = following.end()
    found = verbatim(text, value, stop)
    return found, stop if looks_like_query(found.text) else end


def _between_quotes(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a single-quoted scalar: two quotes are one."""
    place = start
    while (twice := text.find("''", place, end)) >= 0:
        yield place, twice + 1
        place = twice + 2
    yield place, end
