"""Known bugs, recognised by the signatures of their failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

__all__ = ["KnownBugs"]


class KnownBugs:
    """Patterns of signatures, each with a note, such as a link to an issue.

    A pattern must match a whole signature; `*` matches any text. No other character is special, since brackets and
    question marks occur in signatures.
    """

    def __init__(self, patterns: Sequence[tuple[str, str]]) -> None:
        self.patterns = tuple(patterns)

    def note_for(self, signature: str) -> str | None:
        """The note of the first pattern that matches; None if the bug is not known."""
        return next((note for expression, note in self._compiled if expression.fullmatch(signature)), None)

    def never_matched(self, signatures: Iterable[str]) -> list[str]:
        """The patterns that match none of these signatures: a known bug that does not occur may have been fixed."""
        seen = set(signatures)
        return [
            pattern
            for (pattern, _), (expression, _) in zip(self.patterns, self._compiled, strict=True)
            if not any(map(expression.fullmatch, seen))
        ]

    @cached_property
    def _compiled(self) -> list[tuple[re.Pattern[str], str]]:
        return [
            (re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL), note)
            for pattern, note in self.patterns
        ]
