"""Comments in SPARQL: those that address kgprobe, such as `# kgprobe: ignore CODE`, and edits of comments only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgprobe.sparql.algebra import Span
from kgprobe.sparql.tokens import comments as comments_in
from kgprobe.sparql.tokens import tokens

__all__ = [
    "CHECKER_WORDS",
    "Directive",
    "codes_in",
    "differ_in_comments_only",
    "directives_in",
    "full_line_comments",
    "line_of",
    "lines_about",
    "lines_that_ignore",
]

# The directives that only concern the checker of queries: they do not change what a query means or how it runs.
CHECKER_WORDS = frozenset(("ignore", "ontology"))
_DIRECTIVE = re.compile(r"(?:#|--)\s*kgprobe:\s*([\w-]+)[ \t]*(.*)")
_COMMENT = re.compile(r"^[ \t\ufeff]*(#[^\r\n]*)", re.MULTILINE)
_ADDRESSED = re.compile(r"(?:#|--)[ \t]*kgprobe:[^\r\n]*")
_CODE = re.compile(r"\s*,?\s*([A-Za-z][\w-]*)")
_LINE_END = re.compile(r"\r\n?|\n")


class Directive(NamedTuple):
    """A comment `# kgprobe: word rest`, and its place in the query."""

    word: str
    rest: str
    span: Span


def directives_in(text: str, comments: Sequence[Span]) -> list[Directive]:
    """The comments that address kgprobe."""
    found = []
    for span in comments:
        match = _DIRECTIVE.match(text[span.start : span.end])
        if match:
            found.append(Directive(match[1].lower(), match[2].strip(), span))
    return found


def full_line_comments(text: str) -> list[Span]:
    """The comments that have a line for themselves, also in a text that is not SPARQL yet."""
    return [Span(*found.span(1)) for found in _COMMENT.finditer(text)]


# -- `# kgprobe: ignore CODE` ------------------------------------------------------------------------------------------


def codes_in(directive: Directive, text: str) -> Iterator[tuple[str, Span]]:
    """The codes after `ignore`, each with its place. A reason may follow them, after any other sign."""
    offset = text.rfind(directive.rest, directive.span.start, directive.span.end)
    place = 0
    while (found := _CODE.match(directive.rest, place)) is not None:
        yield found[1], Span(offset + found.start(1), offset + found.end(1))
        place = found.end()


def line_of(offset: int, text: str) -> int:
    """The line of an offset in a file, counted from 1."""
    return len(_LINE_END.findall(text, 0, offset)) + 1


def lines_about(start: int, text: str) -> list[int]:
    """The lines of a file that a comment at this offset is about, counted from 1.

    They are the line of the comment and, if nothing else is on it, the next line that is not a comment.
    """
    lines = _LINE_END.split(text)
    before = _LINE_END.split(text[:start])
    line = len(before)
    if before[-1].lstrip("\ufeff").strip():
        return [line]
    following = line + 1
    while following < len(lines) and lines[following - 1].lstrip().startswith("#"):
        following += 1
    return [line, following]


def lines_that_ignore(code: str, text: str, *, is_sparql: bool) -> frozenset[int]:
    """The lines of a file on which a comment silences this code.

    If the file is a program, the comments may be its own, or those of a query in a string.
    """
    if "kgprobe:" not in text:
        return frozenset()
    spans = comments_in(text) if is_sparql else [found.span() for found in _ADDRESSED.finditer(text)]
    ignoring = [
        directive for directive in directives_in(text, [Span(*span) for span in spans]) if directive.word == "ignore"
    ]
    return frozenset(
        line
        for directive in ignoring
        if any(found == code for found, _ in codes_in(directive, text))
        for line in lines_about(directive.span.start, text)
    )


# -- edits of comments only --------------------------------------------------------------------------------------------


def differ_in_comments_only(one: str, other: str) -> bool:
    """Whether two texts are the same SPARQL, apart from layout and from comments that do not change how it runs."""
    first, second = ([(token.kind, token.text) for token in tokens(text)] for text in (one, other))
    return first == second and _settings(one) == _settings(other)


def _settings(text: str) -> list[tuple[str, str]]:
    found = directives_in(text, full_line_comments(text))
    return [(directive.word, directive.rest) for directive in found if directive.word not in CHECKER_WORDS]
