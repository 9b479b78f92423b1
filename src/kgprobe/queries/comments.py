"""Comments in SPARQL: those that address kgprobe, such as `# kgprobe: ignore CODE`, and edits of comments only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgprobe.graph.sparql.tokens import tokens
from kgprobe.queries.algebra import Span

__all__ = ["CHECKER_WORDS", "Directive", "differ_in_comments_only", "directives_in", "full_line_comments"]

# The directives that only concern the checker of queries: they do not change what a query means or how it runs.
CHECKER_WORDS = frozenset(("ignore", "ontology"))
_DIRECTIVE = re.compile(r"#\s*kgprobe:\s*([\w-]+)[ \t]*(.*)")
_COMMENT = re.compile(r"^[ \t\ufeff]*(#[^\r\n]*)", re.MULTILINE)


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


def differ_in_comments_only(one: str, other: str) -> bool:
    """Whether two texts are the same SPARQL, apart from layout and from comments that do not change how it runs."""
    first, second = ([(each.kind, each.text) for each in tokens(text)] for text in (one, other))
    return first == second and _settings(one) == _settings(other)


def _settings(text: str) -> list[tuple[str, str]]:
    found = directives_in(text, full_line_comments(text))
    return [(each.word, each.rest) for each in found if each.word not in CHECKER_WORDS]
