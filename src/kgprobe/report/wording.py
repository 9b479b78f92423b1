"""Texts that several reports need."""

from __future__ import annotations

__all__ = ["number_of"]


def number_of(count: int, word: str) -> str:
    """A number with a noun: 1 triple, 2 triples."""
    return f"{count} {word}" + ("" if count == 1 else "s")
