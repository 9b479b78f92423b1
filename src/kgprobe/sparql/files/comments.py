"""Comments that address kgprobe: `# kgprobe: ignore CODE` and `# kgprobe: ontology FILE`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kgprobe.errors import nearest
from kgprobe.queries.algebra import Span
from kgprobe.queries.comments import Directive
from kgprobe.sparql.diagnosis.diagnostics import CODES, Diagnostic, Severity
from kgprobe.sparql.files.texts import QueryText

__all__ = ["Ignored", "ontologies_named"]

_CODE = re.compile(r"\s*,?\s*([A-Za-z][\w-]*)")


class Ignored:
    """The codes that comments silence, by line of the file."""

    def __init__(self) -> None:
        self._codes: dict[int, set[str]] = {}
        self.unknown: list[Diagnostic] = []

    def add(self, directives: Iterable[Directive], query: QueryText) -> None:
        """Read the comments of a query, or of the file around it."""
        for each in directives:
            if each.word == "ignore":
                lines = _silenced_lines(each, query)
                for code, span in _codes(each, query):
                    if code in CODES:
                        for line in lines:
                            self._codes.setdefault(line, set()).add(code)
                    else:
                        self.unknown.append(_unknown(code, span, query))

    def is_silenced(self, found: Diagnostic) -> bool:
        """Whether a comment on or above one of the lines of a diagnostic names its code."""
        lines = range(found.place.line, found.place.end_line + 1)
        return any(found.code in self._codes.get(line, ()) for line in lines)


def _silenced_lines(directive: Directive, query: QueryText) -> list[int]:
    """The line of the comment, and if nothing else is on it, the next line that is not a comment."""
    file = query.file
    place = query.place(directive.span)
    line = place.line
    if file.line_text(line)[: place.column - 1].strip():
        return [line]
    last = file.line(len(file.text))
    following = line + 1
    while following < last and file.line_text(following).lstrip().startswith("#"):
        following += 1
    return [line, following]


def _codes(directive: Directive, query: QueryText) -> Iterator[tuple[str, Span]]:
    """The codes after `ignore`, each with its place. A reason may follow them, after any other sign."""
    offset = query.text.rfind(directive.rest, directive.span.start, directive.span.end)
    place = 0
    while (found := _CODE.match(directive.rest, place)) is not None:
        yield found[1], Span(offset + found.start(1), offset + found.end(1))
        place = found.end()


def _unknown(code: str, span: Span, query: QueryText) -> Diagnostic:
    close = nearest(code, CODES)
    hint = f"; did you mean '{close}'?" if close else "; 'kgprobe query codes' lists them"
    place = query.place(span)
    return Diagnostic(
        query.file.name,
        place,
        Severity.WARNING,
        "unknown-code",
        f"no code is named '{code}'{hint}",
        query.file.line_text(place.line),
    )


def ontologies_named(directives: Iterable[Directive], file: str) -> tuple[str, ...]:
    """The ontologies that comments name, relative to their file."""
    folder = Path(file).parent
    return tuple(str(folder / each.rest) for each in directives if each.word == "ontology" and each.rest)
