"""The tests that failed in earlier runs, from reports in JUnit format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import InputError, Position
from kgprobe.given_files import read_bytes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["past_failures"]

_FAILURES = ("failure", "error")
_LARGEST_REPORT = 1 << 28


def past_failures(files: Iterable[Path]) -> Counter[str]:
    """The number of failures of each test in reports in JUnit format. Names: `file::name`, `class.name`, `name`."""
    counted: Counter[str] = Counter()
    for file in files:
        for case in _report(file).iter("testcase"):
            if any(case.find(tag) is not None for tag in _FAILURES):
                counted.update(_names_in(case))
    return counted


def _report(file: Path) -> Element:
    text = read_bytes(file, _LARGEST_REPORT)
    if b"<!DOCTYPE" in text:
        raise InputError("has a document type declaration, which test reports do not need", where=Position(str(file)))
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(text)  # noqa: S314 - without a document type there are no entities to expand
    except ElementTree.ParseError as error:
        line, column = error.position
        raise InputError(f"is not XML: {error.msg}", where=Position(str(file), line, column + 1)) from None


def _names_in(case: Element) -> set[str]:
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
