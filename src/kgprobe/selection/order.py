"""The order in which selected tests should run: those most likely to change come first.

The criteria, most important first: past failures, the distance from the change to the terms of the test, the number of
changed triples, and the name, so that the order is always the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import InputError, Position
from kgprobe.given_files import read_bytes
from kgprobe.selection.impact import Selected

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["distance", "ordered", "past_failures"]

# A test whose uses are unknown counts as this many steps away from a change.
_UNKNOWN_DISTANCE = 3
_FAILURES = ("failure", "error")
_LARGEST_REPORT = 1 << 28


def ordered(selected: Iterable[Selected], failures: Mapping[str, int] | None = None) -> tuple[Selected, ...]:
    """The tests, those most likely to change first."""
    past = failures or {}

    def rank(each: Selected) -> tuple[int, int, int, str]:
        size = sum(hit.size for hit in each.hits)
        return (-past.get(each.test.name, 0), distance(each), -size, each.test.name)

    return tuple(sorted(selected, key=rank))


def distance(selected: Selected) -> int:
    """The number of triples between the nearest change and the terms of the test; 0 if a changed triple has one."""
    return min((max(len(hit.path) - 1, 0) for hit in selected.hits), default=_UNKNOWN_DISTANCE)


def past_failures(files: Iterable[Path]) -> Counter[str]:
    """The number of failures of each test in reports in JUnit format. Names: `file::name`, `class.name`, `name`."""
    counted: Counter[str] = Counter()
    for file in files:
        for case in _read(file).iter("testcase"):
            if any(case.find(tag) is not None for tag in _FAILURES):
                counted.update(_names(case))
    return counted


def _read(file: Path) -> Element:
    text = read_bytes(file, _LARGEST_REPORT)
    if b"<!DOCTYPE" in text:
        raise InputError("has a document type declaration, which test reports do not need", where=Position(str(file)))
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(text)  # noqa: S314 - without a document type there are no entities to expand
    except ElementTree.ParseError as error:
        line, column = error.position
        raise InputError(f"is not XML: {error.msg}", where=Position(str(file), line, column + 1)) from None


def _names(case: Element) -> set[str]:
    """The possible names of a test: reports do not agree on one."""
    name, group, file = (case.get(key, "") for key in ("name", "classname", "file"))
    plain = name.partition("[")[0]
    names = {name, plain}
    if file:
        names |= {file, f"{file}::{plain}"}
    if group:
        module = group.replace(".", "/") + ".py"
        names |= {f"{group}.{name}", f"{module}::{plain}"}
        outer, _, inner = group.rpartition(".")
        if outer:
            names.add(f"{outer.replace('.', '/')}.py::{inner}::{plain}")
    return names - {""}
