"""Text that XML can have."""

from __future__ import annotations

__all__ = ["safe"]


def safe(text: str) -> str:
    """The text without the characters that XML cannot have."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())
