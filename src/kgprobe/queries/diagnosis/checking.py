"""Checking queries against an ontology: reading them, finding what cannot match, and reporting it with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.diagnosis.changes import Candidate, Replaced, keeps_results, replaced
from kgprobe.queries.diagnosis.proving import Prover
from kgprobe.queries.diagnosis.rules import RULES, Finding, Inspection, OpenQuestion, Rule, codes_of
from kgprobe.queries.diagnostics import Diagnostic, Related, Report, Severity, Undecided, in_text_order
from kgprobe.queries.files.query_files import QuerySource
from kgprobe.queries.files.texts import QueryText, unknown_prefixes
from kgprobe.queries.filters.condition_wording import joined
from kgprobe.queries.schema import Schema, check_consistency
from kgprobe.sparql.algebra import Document, Modify, Span
from kgprobe.sparql.comments import Directive, codes_in, directives_in, full_line_comments, lines_about
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.scopes import empty_values, parameters_of

__all__ = ["Checker", "check_source", "named_ontologies"]


class Ignored:
    """The codes that comments silence, by line of the file."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._codes: dict[int, set[str]] = {}
        self.unknown: list[Diagnostic] = []

    def add(self, directives: Iterable[Directive], query: QueryText) -> None:
        """Read the comments of a query, or of the file around it."""
        for directive in directives:
            if directive.word == "ignore":
                lines = lines_about(query.place(directive.span).start, query.file.text)
                for code, span in codes_in(directive, query.text):
                    if code in self._known:
                        for line in lines:
                            self._codes.setdefault(line, set()).add(code)
                    else:
                        self.unknown.append(_unknown(code, self._known, span, query))

    def is_silenced(self, found: Diagnostic) -> bool:
        """Whether a comment on or above one of the lines of a diagnostic names its code."""
        lines = range(found.place.line, found.place.end_line + 1)
        return any(found.code in self._codes.get(line, ()) for line in lines)


def _unknown(code: str, known: Collection[str], span: Span, query: QueryText) -> Diagnostic:
    hint = did_you_mean(code, known, "'kgprobe query codes' lists them")
    place = query.place(span)
    return Diagnostic(
        query.file.name,
        place,
        Severity.WARNING,
        "unknown-code",
        f"no code is named '{code}'; {hint}",
        query.file.line_text(place.line),
    )


def ontologies_named(directives: Iterable[Directive], file: str) -> tuple[str, ...]:
    """The ontologies that comments name, relative to their file."""
    folder = Path(file).parent
    return tuple(
        str(folder / directive.rest) for directive in directives if directive.word == "ontology" and directive.rest
    )


# -- checks ------------------------------------------------------------------------------------------------------------

# Each candidate for a fix is a check of its own, of all errors: so a query with many errors has fewer candidates.
_MOST_CANDIDATES = 12
_FEWEST_CANDIDATES = 3
_MOST_ERRORS_CHECKED = 48


@dataclass(frozen=True)
class _Given:
    """A query as it was given, and the prefixes that it may use without a declaration."""

    document: Document
    query: QueryText
    prefixes: Mapping[str, str] | None

    def changed(self, edits: Sequence[Replaced]) -> Document:
        """The query after a change; InputError if it is not SPARQL."""
        text = replaced(self.document.text, edits)
        return read_document(text, "", self.prefixes, bound_before=self.query.bound_before)


class Checker:
    """Checks queries against one ontology, and keeps what it has found out for the next query."""

    def __init__(self, schema: Schema, engines: Engines | None = None, *, rules: Sequence[Rule] = RULES) -> None:
        """Without `engines`, the checker has its own, which `close` ends."""
        self.schema = schema
        self._rules = rules
        self._codes = frozenset(codes_of(rules))
        self._has_own = engines is None
        self.engines = engines or Engines()
        self._prover = Prover(schema, ClashFinder(schema, self.engines))

    def close(self) -> None:
        """End the processes of the reasoners."""
        if self._has_own:
            self.engines.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def require_consistency(self) -> None:
        """InputError if the ontology is inconsistent: then no query could match, and all would be wrong."""
        check_consistency(self.schema, self.engines.careful)

    def check(
        self,
        query: QueryText,
        prefixes: Mapping[str, str] | None = None,
        *,
        around: QuerySource | None = None,
        given: frozenset[str] = frozenset(),
    ) -> Report:
        """The diagnostics of a query; InputError if it is not SPARQL.

        `prefixes` may be used without a declaration. `around` is the file of a query in a Python file. Programs near
        the query give variables of the names `given` a value: those of the query if nothing else binds them.
        """
        document = read_document(query.text, query.file.name, prefixes, bound_before=query.bound_before)
        if given and (names := parameters_of(document) & given):
            return self.check(query.given(names), prefixes, around=around)
        has_fixes = not query.is_template and not query.is_quoted
        report = self.check_document(document, query, prefixes, around=around, has_fixes=has_fixes)
        for other in query.others:  # what a template can become, too
            found = {
                (diagnostic.code, diagnostic.place.start)
                for diagnostic in self.check(other, prefixes, around=around).diagnostics
            }
            same = tuple(
                diagnostic for diagnostic in report.diagnostics if (diagnostic.code, diagnostic.place.start) in found
            )
            report = replace(report, diagnostics=same)
        if query.is_in_program and report.errors:
            report = self._unless_given(report, document, query, prefixes, around)
        if not query.written:
            return report
        worded = (
            replace(diagnostic, message=query.as_written(diagnostic.message)) for diagnostic in report.diagnostics
        )
        return replace(report, diagnostics=tuple(worded))

    def _unless_given(
        self,
        report: Report,
        document: Document,
        query: QueryText,
        prefixes: Mapping[str, str] | None,
        around: QuerySource | None,
    ) -> Report:
        """A report in which the errors that the program around a query may avoid are warnings."""
        names = parameters_of(document)
        certain = self.check(query.given(names), prefixes, around=around).errors if names else report.errors
        proven = {(error.code, error.place.start) for error in certain}
        empty = {query.place(values.span).start for values in empty_values(document)}
        found = []
        for diagnostic in report.diagnostics:
            if diagnostic.is_error and (diagnostic.code, diagnostic.place.start) not in proven:
                used = [f"?{name}" for name in sorted(names) if re.search(rf"[?$]{name}\b", diagnostic.message)]
                what = joined(used) or "some variables"
                found.append(_doubtful(diagnostic, f"unless the program gives {what} a value before the query runs"))
            elif diagnostic.is_error and diagnostic.place.start in empty:
                found.append(_doubtful(diagnostic, "unless the program writes some"))
            else:
                found.append(diagnostic)
        return replace(report, diagnostics=tuple(found))

    def check_document(
        self,
        document: Document,
        query: QueryText,
        prefixes: Mapping[str, str] | None = None,
        *,
        around: QuerySource | None = None,
        has_fixes: bool = True,
    ) -> Report:
        """The diagnostics of a query that has been read. Some of its parts may be missing, because they are broken.

        Each candidate for a fix is a check, so an editor asks for fixes only when the user does.
        """
        self._prover.start_query()
        found = list(self._found(Inspection(document, query, self.schema, self._prover)))
        findings = [(outcome, self._diagnostic(outcome, query)) for outcome in found if isinstance(outcome, Finding)]
        ignored = Ignored(self._codes)
        ignored.add(directives_in(query.text, document.comments), query)
        if around is not None and around.is_python:
            ignored.add(around.directives, QueryText(around.file, around.file.text))
        shown = [(each, diagnostic) for each, diagnostic in findings if not ignored.is_silenced(diagnostic)]
        given = _Given(document, query, prefixes)
        repaired = self._with_fixes(shown, given) if has_fixes else (diagnostic for _, diagnostic in shown)
        questions = (outcome for outcome in found if isinstance(outcome, OpenQuestion))
        undecided = (Undecided(query.file.name, query.place(question.span), question.why) for question in questions)
        return Report(1, in_text_order([*repaired, *ignored.unknown]), tuple(dict.fromkeys(undecided)))

    def _found(self, inspection: Inspection) -> Iterator[Finding | OpenQuestion]:
        for rule in self._rules:
            yield from rule.find(inspection)

    def _diagnostic(self, finding: Finding, query: QueryText) -> Diagnostic:
        place = query.place(finding.span)
        related = (
            Related(query.place(span), " ".join(query.text[span.start : span.end].split())) for span in finding.related
        )
        return Diagnostic(
            query.file.name,
            place,
            Severity.ERROR if finding.is_error else Severity.WARNING,
            finding.code,
            finding.message,
            query.file.line_text(place.line),
            finding.variable,
            finding.axioms,
            tuple(related),
        )

    # -- fixes ---------------------------------------------------------------------------------------------------------

    def _with_fixes(self, found: Sequence[tuple[Finding, Diagnostic]], given: _Given) -> Iterator[Diagnostic]:
        """The diagnostics with the fixes after which they are gone, and nothing new has come."""
        before = Counter(_key(finding) for finding, _ in found)
        left = min(_MOST_CANDIDATES, max(_FEWEST_CANDIDATES, _MOST_ERRORS_CHECKED // max(1, len(found))))
        tried: dict[Candidate, bool] = {}
        # What is deleted by mistake is lost.
        can_be_safe = not any(
            isinstance(operation, Modify) and operation.deleted for operation in given.document.operations
        )
        for finding, diagnostic in found:
            possible = sorted(dict.fromkeys(finding.repairs()), key=lambda candidate: candidate.rank)
            working: list[Candidate] = []
            for candidate in possible:
                if candidate not in tried and left <= 0:
                    working = []  # the others might repair it, too
                    break
                left -= candidate not in tried
                if self._repairs(candidate, _key(finding), before, given):
                    working.append(candidate)
                tried[candidate] = True
            working = [one for one in working if not any(set(one.edits) < set(other.edits) for other in working)]
            ranks = Counter(candidate.rank for candidate in working)
            offered = [candidate for candidate in working if ranks[candidate.rank] == 1]
            is_certain = can_be_safe and len(working) == 1 and not working[0].has_doubts
            is_only = is_certain and not self._has_rivals(working[0], before, given)
            fixes = (candidate.fix(given.query, is_only=is_only) for candidate in offered)
            yield replace(diagnostic, fixes=tuple(fix for fix in fixes if fix is not None))

    def _repairs(
        self, candidate: Candidate, error: tuple[str, str], before: Counter[tuple[str, str]], given: _Given
    ) -> bool:
        """Whether a finding is gone after a change, no other has come, and the results still have their values."""
        if self._prover.is_out_of_time:
            return False
        allowed = before.copy()
        allowed[error] -= 1
        try:
            changed = given.changed(candidate.edits)
            if not keeps_results(given.document, changed, candidate):
                return False
            for remaining in self._remaining(changed):
                key = _key(remaining)
                allowed[key] -= 1
                if allowed[key] < 0:
                    return False
        except InputError:
            return False
        return not self._prover.is_out_of_time

    def _has_rivals(self, candidate: Candidate, before: Counter[tuple[str, str]], given: _Given) -> bool:
        """Whether there are fewer errors after another change, too, which shows that the mistake may be elsewhere."""
        errors = sum(count for (code, _), count in before.items() if code in _ABOUT_PATTERNS)
        for edits in candidate.rivals:
            try:
                left = sum(remaining.code in _ABOUT_PATTERNS for remaining in self._remaining(given.changed(edits)))
            except InputError:
                continue
            if left < errors:
                return True
        return self._prover.is_out_of_time

    def _remaining(self, document: Document) -> Iterator[Finding]:
        """The findings in a changed query, one after the other."""
        query = QueryText.whole("", document.text)
        changed = Inspection(document, query, self.schema, self._prover, is_changed=True)
        return (found for found in self._found(changed) if isinstance(found, Finding))


def _doubtful(error: Diagnostic, proviso: str) -> Diagnostic:
    """An error as a warning that says when it does not hold. None of its fixes is safe."""
    fixes = tuple(replace(fix, is_safe=False) for fix in error.fixes)
    return replace(error, severity=Severity.WARNING, message=f"{error.message} ({proviso})", fixes=fixes)


_ABOUT_PATTERNS = frozenset({"contradiction", "node-and-literal"})
_PLACES = re.compile(r"[?$]\w+|\d+")


def _key(found: Finding) -> tuple[str, str]:
    """What a finding says, without the places and variables in its message: a fix changes them."""
    return found.code, "; ".join(found.axioms) or _PLACES.sub("", found.message)


# -- all queries of a file ---------------------------------------------------------------------------------------------


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
        *(directive for text in texts for directive in directives_in(text, full_line_comments(text))),
    ]
    return tuple(dict.fromkeys(ontologies_named(directives, source.file.name)))
