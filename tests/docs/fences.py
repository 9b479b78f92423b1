"""Fenced blocks of a Markdown page, with their language and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Fence", "fences", "pages"]

ROOT = Path(__file__).resolve().parents[2]

_OPENING = re.compile(r"(?P<indent> *)(?P<ticks>`{3,}|~{3,})\s*(?P<language>[^\s`{]*)")


@dataclass(frozen=True, slots=True)
class Fence:
    """One block; `line` is where it opens, counted from 1."""

    page: Path
    line: int
    language: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        name = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page.name
        return f"{name}:{self.line}"

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def pages() -> list[Path]:
    """Every page whose commands are run, and the session transcripts in tests/golden."""
    folders = (ROOT / "docs", ROOT / "tests" / "golden")
    return [ROOT / "README.md", *(page for folder in folders for page in sorted(folder.rglob("*.md")))]


def fences(page: Path) -> Iterator[Fence]:
    """The blocks of a page in order. An unclosed block is an error: it would hide all blocks after it."""
    numbered = enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
    for number, line in numbered:
        if opening := _OPENING.match(line):
            yield Fence(page, number, opening["language"], _until_closed(numbered, opening, f"{page}:{number}"))


def _until_closed(numbered: Iterator[tuple[int, str]], opening: re.Match[str], where: str) -> tuple[str, ...]:
    closing = re.compile(rf" *{re.escape(opening['ticks'])}{re.escape(opening['ticks'][0])}*\s*")
    inside: list[str] = []
    for _, line in numbered:
        if closing.fullmatch(line):
            return tuple(inside)
        inside.append(line.removeprefix(opening["indent"]))
    raise ValueError(f"{where}: this block is never closed")
