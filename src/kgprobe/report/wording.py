"""Texts that several reports need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["number_of", "size_of", "xml_text"]


def number_of(count: int, word: str) -> str:
    """A number with a noun: 1 triple, 2 triples."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def size_of(figures: Mapping[str, Any], unit: str) -> str:
    """How large a reduced case is: what is pinned is only named, and of two graphs, the changed triples are counted."""
    own = int(figures.get("own_triples", figures["triples_after"]))
    size = number_of(own, unit)
    if figures.get("seed_graph") is not None:
        size += f" ({figures['changes']} changed)"
    pinned = figures.get("pinned")
    return f"{size}, and {pinned}" if pinned else size


def xml_text(text: str) -> str:
    """The text without the characters that XML cannot have."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())
