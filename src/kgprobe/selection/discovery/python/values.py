"""The possible values of an expression, found without running it.

Texts are plain `str`. Subclasses mark texts with a known meaning: an IRI, a namespace, the content of a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

__all__ = [
    "LONGEST_TEXT",
    "MOST_VALUES",
    "FileText",
    "Iri",
    "NamespaceIri",
    "Pairs",
    "Value",
    "Values",
    "combinations",
    "either",
    "formatted",
    "parts_of",
    "percent_formatted",
]

LONGEST_TEXT: Final = 1 << 20
MOST_VALUES: Final = 10_000


class Iri(str):
    """The IRI of a term."""

    __slots__ = ()


class NamespaceIri(str):
    """The IRI of a namespace, such as EX in `EX.Pizza`."""

    __slots__ = ()


class FileText(str):
    """The content of a file."""

    file: Path

    def __new__(cls, text: str, file: Path) -> FileText:
        found = super().__new__(cls, text)
        found.file = file
        return found


class Pairs(tuple["tuple[Value, Value]", ...]):
    """The items of a dictionary."""

    __slots__ = ()


Value: TypeAlias = str | int | float | bool | Path | tuple["Value", ...] | Pairs | None
# All possible values; None if an unknown value is possible.
Values: TypeAlias = tuple[Value, ...] | None


def parts_of(values: Values) -> Values:
    """The possible elements in a loop over one of these values."""
    if values is None:
        return None
    found: list[Value] = []
    for value in values:
        if isinstance(value, Pairs):
            found += [key for key, _ in value]
        elif isinstance(value, tuple):
            found += value
        else:
            return None
    return tuple(found)


def either(choices: Iterable[Values]) -> Values:
    """All values of all choices; None if one choice is unknown."""
    found: list[Value] = []
    for values in choices:
        if values is None:
            return None
        found += values
    return tuple(found)


def combinations(choices: list[Values]) -> Iterator[tuple[Value, ...]] | None:
    """All combinations of one value from each choice; None if a choice is unknown, or there are too many."""
    ways = 1
    known: list[tuple[Value, ...]] = []
    for values in choices:
        if values is None:
            return None
        known.append(values)
        ways *= len(values)
        if ways > MOST_VALUES:
            return None
    return _combined(known)


def _combined(choices: list[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    found: list[tuple[Value, ...]] = [()]
    for values in choices:
        found = [(*start, value) for start in found for value in values]
    return iter(found)


_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_PERCENT = re.compile(r"%(?:\((\w+)\))?([sd%])|%")


def formatted(template: str, positional: tuple[Value, ...], named: dict[str, Value]) -> str | None:
    """The result of `template.format(…)`; None if a field is not plain, or its value is missing."""
    count = 0

    def field(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] in ("{{", "}}"):
            return found[0][0]
        name = found[1]
        if name is None:
            raise LookupError
        if name == "":
            name, count = str(count), count + 1
        return _text(positional[int(name)] if name.isdigit() else named[name])

    return _substituted(_FIELD, field, template)


def percent_formatted(template: str, values: Value) -> str | None:
    """The result of `template % values`; None if it has fields other than %s and %d."""
    pending = list(values) if isinstance(values, tuple) and not isinstance(values, Pairs) else [values]
    named = dict(values) if isinstance(values, Pairs) else {}
    pending.reverse()

    def field(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if found[2] is None:
            raise LookupError
        return _text(named[found[1]] if found[1] else pending.pop())

    return _substituted(_PERCENT, field, template)


def _substituted(pattern: re.Pattern[str], field: Callable[[re.Match[str]], str], template: str) -> str | None:
    try:
        found = pattern.sub(field, template)
    except LookupError:
        return None
    return found if len(found) <= LONGEST_TEXT else None


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        raise LookupError("a list is not a useful text")
    return str(value)
