"""What a run has shown: which terms and queries were seen while each test ran.

The file has one JSON object a line, or all of them in one list: {"test": …, "terms": […], "queries": […]}. A test may
have several. With `"complete": true`, what was seen is all that the test uses, whatever its text says. What was seen
while nobody said which test ran (`"test": null`) may belong to any of them, and so counts for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError, Position, nearest
from kgprobe.given_files import parse_json, read_bytes
from kgprobe.selection.discovery.declared import Declared, combined
from kgprobe.selection.discovery.search import Search

__all__ = ["read_recorded"]

_KEYS = ("test", "terms", "queries", "complete")
_LARGEST = 1 << 28


def read_recorded(file: Path, search: Search) -> dict[str, Declared]:
    """What was seen of each test, by its name. InputError if this is no record."""
    found: defaultdict[str | None, list[Declared]] = defaultdict(list)
    for entry, line in _entries(_text(file), str(file)):
        found[entry["test"]] += _declared(entry, Position(str(file), line), search)
    of_any = found.pop(None, [])
    if of_any:
        search.note(f"{file}: some queries were seen while no test was named, and count for all tests in it")
    return {test: combined([*seen, *of_any]) for test, seen in found.items() if test is not None}


def _declared(entry: dict[str, Any], where: Position, search: Search) -> Iterator[Declared]:
    yield Declared(is_complete=entry.get("complete", False))
    for term in entry.get("terms", ()):
        yield Declared(*search.named(term, str(where)))
    for query in entry.get("queries", ()):
        reading = search.queries.read(query)
        yield Declared(reading.uses, reading.unseen, patterns=reading.patterns)


def _text(file: Path) -> str:
    try:
        return read_bytes(file, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is no UTF-8 text", where=Position(str(file))) from None


def _entries(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
    if text.lstrip().startswith("["):
        for entry in parse_json(text, Position(name)):
            yield _checked(entry, Position(name)), 1
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _checked(parse_json(line, Position(name, number)), Position(name, number)), number


def _checked(entry: Any, where: Position) -> dict[str, Any]:
    hint = '{"test": "its name", "terms": ["an IRI"], "queries": ["SELECT …"]}'
    if not isinstance(entry, dict) or not isinstance(entry.get("test", 0), str | None):
        raise InputError("this names no test", where=where, hint=hint)
    for key, value in entry.items():
        if key not in _KEYS:
            meant = nearest(key, _KEYS)
            raise InputError(
                f"a record has no '{key}'", where=where, hint=f"did you mean '{meant}'?" if meant else hint
            )
        if key in ("terms", "queries") and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            raise InputError(f"'{key}' is no list of texts", where=where, hint=hint)
        if key == "complete" and not isinstance(value, bool):
            raise InputError("'complete' is neither true nor false", where=where, hint=hint)
    return entry
