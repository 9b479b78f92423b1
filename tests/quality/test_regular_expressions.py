"""Regular expressions that some versions of Python get wrong are not used."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = sorted((Path(__file__).resolve().parents[2] / "src").rglob("*.py"))
# Such as `(?:a|b)*+`. Python before 3.11.5 forgets matches of these; `(?>(?:a|b)*)` means the same.
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)[*+]\+(?=[^,\s]|\s*[\"'])")


def test_no_possessive_group_in_a_regular_expression() -> None:
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if _POSSESSIVE_GROUP.search(line)
    ]
    assert not found
    assert len(SOURCES) > 300
