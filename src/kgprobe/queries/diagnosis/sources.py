"""Checking all queries of a file: what may be used without a declaration, and what is skipped."""

from __future__ import annotations

from collections.abc import Mapping

from kgprobe.errors import InputError, Position
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnosis.diagnostics import Report, Undecided
from kgprobe.queries.files.comments import ontologies_named
from kgprobe.queries.files.prefixes import unknown_prefixes
from kgprobe.queries.files.query_files import QuerySource
from kgprobe.queries.files.texts import QueryText
from kgprobe.sparql.algebra import Span
from kgprobe.sparql.comments import directives_in, full_line_comments

__all__ = ["check_source", "named_ontologies"]


def check_source(
    source: QuerySource,
    checker: Checker,
    prefixes: Mapping[str, str] | None = None,
    given: frozenset[str] = frozenset(),
) -> tuple[Report, list[InputError]]:
    """The report on all queries of a file, and the queries in it that are not SPARQL. `prefixes` are those of a table.

    `given` are the names of variables to which programs near the file give a value. A text that is only quoted and is
    not SPARQL is skipped.
    """
    own = {} if source.is_query_file else checker.schema.graph.spelling.prefixes
    report = Report(skipped=source.skipped)
    errors: list[InputError] = []
    for query in source.queries:
        known = {**own, **(prefixes or {}), **query.prefixes}
        if not source.is_query_file or query.is_template:
            known |= unknown_prefixes(query.text, known)
        try:
            report += checker.check(query, known, around=source, given=given)
        except InputError as error:
            if query.is_quoted:
                place = query.place(Span(0, len(query.text)))
                report += Report(skipped=(Undecided(query.file.name, place, "a text that is not SPARQL 1.1"),))
            else:
                errors.append(_in_file(error, query))
    return report, errors


def _in_file(error: InputError, query: QueryText) -> InputError:
    """An error about a query, with its place in the file."""
    where = error.where
    if query.offsets is None or where is None or where.line is None:
        return error
    lines = query.text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: where.line - 1]) + (where.column or 1) - 1
    place = query.place(Span(min(offset, len(query.text)), min(offset, len(query.text))))
    column = None if where.column is None else place.column
    return InputError(error.message, where=Position(query.file.name, place.line, column), hint=error.hint)


def named_ontologies(source: QuerySource) -> tuple[str, ...]:
    """The ontologies that the comments of a file name."""
    texts = (source.file.text,) if not source.is_python else tuple(query.text for query in source.queries)
    directives = [
        *source.directives,
        *(each for text in texts for each in directives_in(text, full_line_comments(text))),
    ]
    return tuple(dict.fromkeys(ontologies_named(directives, source.file.name)))
