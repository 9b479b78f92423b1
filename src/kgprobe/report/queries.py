"""The results of checking queries: as text with the lines of the queries, as JSON, and in SARIF 2.1.0."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kgprobe.queries.diagnosis.rules import CODES
from kgprobe.queries.diagnostics import Code, Diagnostic, Edit, Fix, Place, Report, Undecided
from kgprobe.queries.testing.data import Counterexample, Outcome, Result
from kgprobe.queries.testing.saved import Replayed
from kgprobe.rdf.terms import Term
from kgprobe.version import __version__
from kgprobe.wording import number_of
from kgprobe.written_files import OwnKind

_LONGEST_LINE = 200
SARIF = OwnKind("a report in SARIF", lambda start: start.startswith(b"{") and b"sarif" in start.lower())


# -- text --------------------------------------------------------------------------------------------------------------


def diagnostic_lines(found: Diagnostic) -> Iterator[str]:
    """A diagnostic as text: its message, the line with the place underlined, reasons, other places and fixes."""
    yield str(found)
    yield from _excerpt(found)
    for number, axiom in enumerate(found.axioms):
        yield f"    {'because:' if number == 0 else '        '} {axiom}"
    for note in found.related:
        yield f"    line {note.place.line}: {note.message}"
    for fix in found.fixes:
        yield f"    {'fix' if fix.is_safe else 'possible fix'}: {fix.title}"


def _excerpt(found: Diagnostic) -> Iterator[str]:
    line = found.excerpt
    if not line or len(line) > _LONGEST_LINE:
        return
    start = found.place.column - 1
    end = found.place.end_column - 1 if found.place.end_line == found.place.line else len(line.rstrip())
    margin = f"{found.place.line:>4} | "
    # A tab before the place stays a tab, so that the mark is below the place.
    before = "".join(char if char == "\t" else " " * _width(char) for char in line[:start])
    yield margin + _printable(line)
    yield " " * (len(margin) - 2) + "| " + before + "^" * max(1, sum(map(_width, line[start:end])))


def _width(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _printable(line: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)


def summary_line(report: Report) -> str:
    """The numbers of errors and warnings."""
    errors = len(report.errors)
    warnings = len(report.diagnostics) - errors
    text = f"{number_of(report.queries, 'query')}: "
    text += f"{number_of(errors, 'error')}, {number_of(warnings, 'warning')}"
    text += f", {len(report.undecided)} undecided" if report.undecided else ""
    return text + (f", {len(report.skipped)} skipped" if report.skipped else "")


def skipped_lines(report: Report, left_out: Mapping[str, int]) -> Iterator[str]:
    """What was not checked and why: texts by reason, each with the first place, and files that were left out."""
    reasons = Counter(skipped.message for skipped in report.skipped)
    for reason, count in reasons.most_common():
        first = next(skipped for skipped in report.skipped if skipped.message == reason)
        more = f", and {count - 1:,} more" if count > 1 else ""
        yield f"  skipped: {reason}: {first.file}:{first.place.line}{more}"
    for reason, count in sorted(left_out.items()):
        yield f"  left out: {number_of(count, 'file')} {reason}"


def code_lines(codes: Iterable[Code]) -> Iterator[str]:
    """A table of codes."""
    for code in codes:
        yield f"{code.name:<28} {code.title}"


def code_as_json(code: Code) -> dict[str, Any]:
    """A code with its explanation, and what its errors assume."""
    assumes = [{"name": assumption.name, "words": assumption.words} for assumption in code.assumes]
    return {"code": code.name, "title": code.title, "explanation": code.words, "assumes": assumes}


# -- JSON --------------------------------------------------------------------------------------------------------------


def report_as_json(report: Report, left_out: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The report as one JSON value. `left_out` are numbers of files by reason."""
    return {
        "queries": report.queries,
        "diagnostics": [_diagnostic_as_json(diagnostic) for diagnostic in report.diagnostics],
        "undecided": [
            {"file": query.file, **_start(query.place), "message": query.message} for query in report.undecided
        ],
        "skipped": [
            {"file": skipped.file, **_start(skipped.place), "message": skipped.message} for skipped in report.skipped
        ],
        "left_out": dict(left_out or {}),
    }


def _diagnostic_as_json(found: Diagnostic) -> dict[str, Any]:
    return {
        "file": found.file,
        **_extent(found.place),
        "severity": found.severity.value,
        "code": found.code,
        "message": found.message,
        "variable": found.variable,
        "axioms": list(found.axioms),
        "related": [{**_start(note.place), "message": note.message} for note in found.related],
        "fixes": [
            {"title": fix.title, "safe": fix.is_safe, "edits": [_edit_as_json(edit) for edit in fix.edits]}
            for fix in found.fixes
        ],
        "assumes": [assumption.name for assumption in CODES[found.code].assumes] if found.is_error else [],
    }


def _start(place: Place) -> dict[str, Any]:
    return {"line": place.line, "column": place.column}


def _extent(place: Place) -> dict[str, Any]:
    return {**_start(place), "end_line": place.end_line, "end_column": place.end_column}


def _edit_as_json(edit: Edit) -> dict[str, Any]:
    return {**_extent(edit.place), "text": edit.text}


# -- SARIF -------------------------------------------------------------------------------------------------------------

_SCHEMA = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"


def report_as_sarif(report: Report) -> dict[str, Any]:
    """The report in SARIF 2.1.0, which code hosts and editors show beside the code. Columns count characters."""
    rules = [
        {
            "id": code.name,
            "shortDescription": {"text": code.title},
            "fullDescription": {"text": code.words},
        }
        for code in CODES.values()
    ]
    driver = {"name": "kgprobe", "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic) for diagnostic in report.diagnostics],
    }
    if report.skipped:
        notes = [_skipped_note(skipped) for skipped in report.skipped]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _skipped_note(skipped: Undecided) -> dict[str, Any]:
    """A text that was not checked, as a notification."""
    region = {"startLine": skipped.place.line, "startColumn": skipped.place.column}
    location = {"artifactLocation": {"uri": _uri(skipped.file)}, "region": region}
    return {
        "level": "note",
        "message": {"text": f"skipped: {skipped.message}"},
        "locations": [{"physicalLocation": location}],
    }


def _result(found: Diagnostic) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": list(CODES).index(found.code),
        "level": found.severity.value,
        "message": {"text": "\n".join([found.message, *(f"because: {axiom}" for axiom in found.axioms)])},
        "locations": [{"physicalLocation": _location(found.file, found.place)}],
    }
    if found.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _location(found.file, each.place),
                "message": {"text": each.message},
            }
            for number, each in enumerate(found.related)
        ]
    if found.fixes:
        result["fixes"] = [_fix(fix, found.file) for fix in found.fixes]
    return result


def _location(file: str, place: Place) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(file)}, "region": _region(place)}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _fix(fix: Fix, file: str) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}} for edit in fix.edits
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": {"uri": _uri(file)}, "replacements": replacements}],
    }


# -- tests of queries --------------------------------------------------------------------------------------------------


def result_lines(name: str, result: Result, spell: Callable[[Term], str]) -> Iterator[str]:
    """The outcome in one line, then the counts, and the counterexample."""
    tests = number_of(result.tests, "test")
    match result.outcome:
        case Outcome.FALSIFIED:
            yield f"{name}: falsified after {tests}"
        case Outcome.PASSED:
            yield f"{name}: passed {tests}"
        case Outcome.NO_ANSWER:
            yield f"{name}: no answer in {tests}"
        case Outcome.NO_CONSISTENT_DATA:
            yield f"{name}: no consistent data in {tests}"
        case Outcome.UNDECIDED:
            yield f"{name}: undecided: no reasoner knows of data that are consistent"
    if result.proof:
        yield f"  proven for all data: {result.proof}"
    yield f"  data sets that are consistent: {_share(result.consistent, result.tests)}"
    yield f"  those on which the query has an answer: {_share(result.nontrivial, result.consistent)}"
    if result.undecided:
        yield f"  data sets that are not tests, because no reasoner decides them: {result.undecided}"
    if result.counterexample is not None:
        yield from _counterexample(result.counterexample, spell)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def _counterexample(found: Counterexample, spell: Callable[[Term], str]) -> Iterator[str]:
    yield f"  {found.property}"
    if found.answer is not None:
        shown = ", ".join(f"?{name} = {spell(term)}" for name, term in found.answer.items())
        yield f"  does not hold for the answer {shown}" if shown else "  does not hold for the answer"
    yield f"  because {found.reason}"
    if not found.triples:
        yield "  with no data at all, only the ontology"
        return
    yield f"  with {number_of(len(found.triples), 'triple')} added to the ontology:"
    yield from (f"    {line.expandtabs(4)}" for line in found.turtle.splitlines() if line.strip())


def replay_lines(name: str, results: Sequence[Replayed]) -> Iterator[str]:
    """One line for each counterexample, then the number of those that still fail."""
    for result in results:
        verdict = "still fails" if result.is_failing else "holds now"
        yield f"{result.name}: {verdict}: {result.property}: {result.reason}"
    failing = sum(result.is_failing for result in results)
    yield f"{name}: {number_of(len(results), 'counterexample')} replayed, {failing} still failing"
