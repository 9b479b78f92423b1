"""Writes differences as a few readable lines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

__all__ = ["MOST_LINES", "listed", "shortened", "text_difference"]

MOST_LINES = 20
# A line of output can be as long as a whole document.
_LONGEST_LINE = 400
# difflib takes quadratic time; larger texts are shown from the first line that differs.
_MOST_COMPARED = 2_000
_CONTEXT = 2


def shortened(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines, and the number of the others."""
    shown = tuple(
        line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…" for line in lines[:MOST_LINES]
    )
    return shown if len(lines) <= MOST_LINES else (*shown, f"and {len(lines) - MOST_LINES} more")


def listed(names: Sequence[str]) -> str:
    """Names as in a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def text_difference(before: str, after: str, *, names: tuple[str, str] = ("expected", "observed")) -> tuple[str, ...]:
    """How one text differs from another, as a short unified diff."""
    old, new = before.split("\n"), after.split("\n")
    pairs = enumerate(zip(old, new, strict=False))
    start = max(next((n for n, (one, other) in pairs if one != other), min(len(old), len(new))) - _CONTEXT, 0)
    old, new = old[start : start + _MOST_COMPARED], new[start : start + _MOST_COMPARED]
    lines = list(difflib.unified_diff(old, new, *names, lineterm="", n=_CONTEXT))
    # Line numbers are of no use to a reader who sees the lines.
    return shortened(lines[:2] + [line for line in lines[2:] if not line.startswith("@@ ")])
