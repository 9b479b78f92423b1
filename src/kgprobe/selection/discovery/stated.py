"""What a test says about itself in comments: which terms it reads, and in which direction it looks from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import Direction, TermUse

__all__ = ["stated_terms"]

_LINE = re.compile(
    r"^[ \t]*(?:#|--|//|/?\*+|<!--|;|%)[ \t]*kgprobe:[ \t]*(descendants of|ancestors of|term)[ \t]+"
    r"(.+?)[ \t]*(?:\*/|-->)?\r?$",
    re.MULTILINE,
)
_DIRECTIONS = {
    "descendants of": Direction.DESCENDANTS,
    "ancestors of": Direction.ANCESTORS,
    "term": Direction.TERM,
}
_NAME = re.compile(r"\s*(?:'([^']*)'|\"([^\"]*)\"|([^,]+?))\s*(?:,|\Z)")


def stated_terms(text: str, name: str, search: Search) -> tuple[tuple[TermUse, ...], tuple[str, ...]] | None:
    """The terms that lines such as `-- kgprobe: descendants of Pizza, 'green tea'` state, and why some are unknown.

    None if a test states none.
    """
    if "kgprobe:" not in text:
        return None
    uses: list[TermUse] = []
    unseen: list[str] = []
    lines = list(_LINE.finditer(text))
    for found in lines:
        line = text.count("\n", 0, found.start()) + 1
        for named in _names(found[2]):
            terms, problems = search.named(named, f"{name}:{line}", line)
            said = f"{found[1]} {named}"
            uses += (TermUse(use.term, said, line, _DIRECTIONS[found[1]]) for use in terms)
            unseen += problems
    return (tuple(uses), tuple(unseen)) if lines else None


def _names(said: str) -> Iterator[str]:
    place = 0
    said = said.strip()
    while place < len(said) and (found := _NAME.match(said, place)) is not None:
        yield next(part for part in found.groups() if part is not None)
        place = found.end()
