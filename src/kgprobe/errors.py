"""The errors that kgprobe raises on purpose: a message, a position, and a hint.

Each is a `KgprobeError`. Its text is one line, and the command line ends with its `exit_code`. Any other exception
that escapes is a bug in kgprobe, and is reported as one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

__all__ = [
    "InputError",
    "KgprobeError",
    "LimitReachedError",
    "Position",
    "UnavailableError",
    "did_you_mean",
    "nearest",
    "one_line",
    "visible",
]

# A malformed file can put megabytes into a parser's message; a person reads the start of it.
_LONGEST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a file. As in editors, lines and columns start at 1; None means unknown."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        known = [visible(self.file)]
        if self.line is not None:
            known.append(str(self.line))
            if self.column is not None:
                known.append(str(self.column))
        return ":".join(known)


class KgprobeError(Exception):
    """The base class: a message for people, and an exit code for programs."""

    exit_code = 3

    def __init__(self, message: str, *, where: Position | None = None, hint: str | None = None) -> None:
        super().__init__(message, where, hint)
        self.message = one_line(message)
        self.where = where
        self.hint = one_line(hint) if hint else None

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text

    def __reduce__(self) -> tuple[object, ...]:
        # Workers send errors to their parent, and the default would lose the keyword-only arguments.
        return (_rebuild, (type(self), self.message, self.where, self.hint))


class InputError(KgprobeError):
    """Wrong input from the user: a file, an option, a value."""

    exit_code = 2


class UnavailableError(KgprobeError):
    """Something that is needed is missing: an optional dependency, a program, a service."""

    exit_code = 3


class LimitReachedError(KgprobeError):
    """A limit that the user set, such as a number of requests. It ends a campaign early, and is not a failure of it."""


def _rebuild(kind: type[KgprobeError], message: str, where: Position | None, hint: str | None) -> KgprobeError:
    return kind(message, where=where, hint=hint)


def visible(text: str) -> str:
    """A text on one line, with escapes for unprintable characters: a file name can contain a line end."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str) -> str:
    """The text with runs of white space and control characters replaced by a space, and cut if it is too long."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= _LONGEST_MESSAGE else folded[: _LONGEST_MESSAGE - 1] + "…"


def nearest(value: str, valid: Iterable[str]) -> str | None:
    """The valid value that is most similar to `value`, if any is close."""
    by_folded = {candidate.casefold(): candidate for candidate in valid}
    close = difflib.get_close_matches(value.casefold(), by_folded, n=1)
    return by_folded[close[0]] if close else None


@overload
def did_you_mean(value: str, valid: Iterable[str], otherwise: str, *, shown: str = ...) -> str: ...


@overload
def did_you_mean(value: str, valid: Iterable[str], otherwise: str | None = None, *, shown: str = ...) -> str | None: ...


def did_you_mean(value: str, valid: Iterable[str], otherwise: str | None = None, *, shown: str = "'{}'") -> str | None:
    """A hint at the valid value that is most similar to `value`; another hint, or none, if there is no such value.

    `shown` is how a value is written in the hint.
    """
    close = nearest(value, valid)
    return f"did you mean {shown.format(close)}?" if close else otherwise
