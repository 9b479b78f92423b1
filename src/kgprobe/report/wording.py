"""Texts that several reports need."""

from __future__ import annotations

__all__ = ["number_of", "xml_text"]


def number_of(count: int, word: str) -> str:
    """A number with a noun: 1 triple, 2 triples."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def xml_text(text: str) -> str:
    """The text without the characters that XML cannot have."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())
