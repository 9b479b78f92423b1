"""Reports in JUnit's format, which CI servers read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from html import escape  # of the same characters as in XML; the module for XML loads a client for HTTP

from kgprobe.errors import one_line
from kgprobe.written_files import OwnKind

__all__ = ["JUNIT", "JUnitCase", "JUnitOutcome", "junit_text"]

# A report replaces an earlier one: a CI server writes it again and again.
JUNIT = OwnKind("a report", lambda start: start.startswith(b"<") and b"<testsuite" in start)


class JUnitOutcome(Enum):
    """The outcome of a test case, by the name of its element."""

    PASSED = "system-out"
    FAILED = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class JUnitCase:
    """A test case; `message` is one line about a failed or skipped one, and `text` is everything else."""

    group: str
    name: str
    outcome: JUnitOutcome = JUnitOutcome.PASSED
    message: str = ""
    text: str = ""


def junit_text(name: str, cases: Iterable[JUnitCase], *, seconds: float | None = None) -> str:
    """The report. Its totals are counted from the elements, so that they cannot contradict them.

    It is written as text, because a tree of elements for a million cases would not fit into memory.
    """
    counts: Counter[JUnitOutcome] = Counter()
    elements = []
    for case in cases:
        counts[case.outcome] += 1
        elements.append(_element(case))
    totals = f'tests="{len(elements)}" failures="{counts[JUnitOutcome.FAILED]}"'
    totals += f' skipped="{counts[JUnitOutcome.SKIPPED]}" errors="0"'
    time = "" if seconds is None else f' time="{seconds:.3f}"'
    body = "".join(elements)
    return (
        f"<?xml version='1.0' encoding='utf-8'?>\n<testsuites>\n"
        f"  <testsuite name={_attribute(f'kgprobe {name}')} {totals}{time}>\n{body}  </testsuite>\n</testsuites>\n"
    )


def _element(case: JUnitCase) -> str:
    start = f"    <testcase classname={_attribute(case.group)} name={_attribute(case.name)}"
    if case.outcome is JUnitOutcome.PASSED:
        if not case.text:
            return f"{start} />\n"
        inner = f"<system-out>{escape(_allowed(case.text))}</system-out>"
    else:
        element = case.outcome.value
        text = escape(_allowed(case.text))
        opening = f"<{element} message={_attribute(case.message)}"
        inner = f"{opening}>{text}</{element}>" if text else f"{opening} />"
    return f"{start}>\n      {inner}\n    </testcase>\n"


def _attribute(text: str) -> str:
    return f'"{escape(_allowed(one_line(text)))}"'


def _allowed(text: str) -> str:
    """The text without the characters that XML cannot have."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())
