"""Comments that address kgprobe: `# kgprobe: ignore CODE` and `# kgprobe: ontology FILE`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgprobe.errors import nearest
from kgprobe.queries.diagnosis.diagnostics import CODES, Diagnostic, Severity
from kgprobe.queries.files.texts import QueryText
from kgprobe.sparql.algebra import Span
from kgprobe.sparql.comments import Directive, codes_in, lines_about

__all__ = ["Ignored", "ontologies_named"]


class Ignored:
    """The codes that comments silence, by line of the file."""

    def __init__(self) -> None:
        self._codes: dict[int, set[str]] = {}
        self.unknown: list[Diagnostic] = []

    def add(self, directives: Iterable[Directive], query: QueryText) -> None:
        """Read the comments of a query, or of the file around it."""
        for each in directives:
            if each.word == "ignore":
                lines = lines_about(query.place(each.span).start, query.file.text)
                for code, span in codes_in(each, query.text):
                    if code in CODES:
                        for line in lines:
                            self._codes.setdefault(line, set()).add(code)
                    else:
                        self.unknown.append(_unknown(code, span, query))

    def is_silenced(self, found: Diagnostic) -> bool:
        """Whether a comment on or above one of the lines of a diagnostic names its code."""
        lines = range(found.place.line, found.place.end_line + 1)
        return any(found.code in self._codes.get(line, ()) for line in lines)


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
