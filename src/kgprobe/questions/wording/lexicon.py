"""Lists of words: proper adjectives, plurals, verbs and so on, in `lexicon.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

__all__ = ["words_in"]


@cache
def words_in(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_texts()[name].split())


@cache
def _texts() -> dict[str, str]:
    text = resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
