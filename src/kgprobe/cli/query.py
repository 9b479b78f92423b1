"""`kgprobe query`: check SPARQL queries against an ontology."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, option, print_json, reads_graphs, takes
from kgprobe.cli.query_test import command as test
from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.report.queries import SARIF
from kgprobe.written_files import write_file

if TYPE_CHECKING:
    from kgprobe.queries.diagnosis.checking import Checker
    from kgprobe.queries.diagnostics import Report
    from kgprobe.queries.files.query_files import QuerySource

_EXAMPLES = """\b
Examples:
  kgprobe query check report.rq --ontology onto.ttl        can this query have an answer?
  kgprobe query test report.rq --ontology onto.ttl         try it on generated data
  kgprobe query codes                                      what the check can find
"""

_CHECK_EXAMPLES = """\b
Examples:
  kgprobe query check report.rq --ontology onto.ttl             one query
  kgprobe query check queries/ app.py --ontology onto.ttl       a folder, and the strings of a program
  kgprobe query check . --no-ontology --prefixes prefixes.ttl   all queries of a project, as far as SPARQL tells
  kgprobe query check - --ontology onto.ttl < report.rq         standard input
  kgprobe query check report.rq --ontology onto.ttl --fix       make the fixes that are safe
  kgprobe query check queries/ --ontology onto.ttl --sarif found.sarif
"""

_CODES_EXAMPLES = """\b
Examples:
  kgprobe query codes                    all codes
  kgprobe query codes contradiction      what one of them means
"""


@click.group("query", epilog=_EXAMPLES)
def command() -> None:
    """Check and test SPARQL queries against an ontology."""


command.add_command(test)


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The options of the command."""

    ontologies: tuple[str, ...] = option(
        "--ontology",
        metavar="FILE",
        multiple=True,
        help="The ontology. May be given more than once. Without it, a comment '# kgprobe: ontology FILE' names it.",
    )
    no_ontology: bool = option("--no-ontology", is_flag=True, help="Only find what holds whatever the ontology.")
    prefixes: str | None = option(
        "--prefixes", metavar="FILE", help="Prefixes that queries need not declare: Turtle, SPARQL, JSON or CSV."
    )
    fix: bool = option(
        "--fix", is_flag=True, help="Change the files: make each fix that is safe. The others are shown."
    )
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")
    sarif: str | None = option("--sarif", metavar="FILE", help="Write the results to this file, in SARIF 2.1.0.")


@command.command("check", epilog=_CHECK_EXAMPLES, short_help="find parts of queries that can never match")
@click.argument("paths", metavar="QUERY...", nargs=-1, required=True)
@takes(CheckOptions)
@reads_graphs
def check(reading: Reading, paths: tuple[str, ...], options: CheckOptions) -> int:
    """Say where each QUERY can never match, and which axioms of the ontology say so.

    QUERY is a file with a query (.rq, .sparql) or with updates (.ru), a file with queries in it (Python, Java,
    JavaScript, TypeScript, R, Markdown, RDF with SHACL or SPIN, YAML, JSON), a folder with such files, or - for
    standard input. An error is proven: in no graph that is consistent with the ontology can this part of the query
    match. What a template fills in can be anything. 'kgprobe query codes CODE' says what an error assumes.
    """
    from kgprobe.report.queries import report_as_json, report_as_sarif

    if options.as_json and options.sarif is not None and options.sarif == "-":
        raise InputError("--json and --sarif - both write to standard output")
    if options.no_ontology and options.ontologies:
        raise InputError("--no-ontology and --ontology contradict each other")
    if options.sarif is not None and options.sarif != "-":
        SARIF.check(Path(options.sarif))
    with ExitStack() as stack:
        given = None if options.no_ontology else options.ontologies
        session = _Session(reading, given, options.prefixes, stack, is_silent=options.as_json or options.sarif == "-")
        report = session.run(paths, fix=options.fix)
    if options.as_json:
        print_json(report_as_json(report, session.left_out))
    if options.sarif is not None:
        text = json.dumps(report_as_sarif(report), ensure_ascii=False, indent=2) + "\n"
        if options.sarif == "-":
            click.echo(text, nl=False)
        else:
            SARIF.write(Path(options.sarif), text)
    return session.exit_code or (1 if report.errors else 0)


@command.command("codes", epilog=_CODES_EXAMPLES, short_help="list the codes of diagnostics")
@click.argument("code", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def codes(code: str | None, as_json: bool) -> None:
    """List the codes of diagnostics, or explain one of them."""
    from kgprobe.queries.diagnosis.rules import CODES, code_named
    from kgprobe.report.queries import code_as_json, code_lines

    shown = list(CODES.values()) if code is None else [code_named(code)]
    if as_json:
        print_json([code_as_json(each) for each in shown])
    elif code is None:
        for line in code_lines(shown):
            click.echo(line)
    else:
        click.echo(f"{shown[0].name}: {shown[0].title}\n")
        click.echo(click.wrap_text(shown[0].words, width=100))
        for assumption in shown[0].assumes:
            click.echo("\n" + click.wrap_text(f"An error assumes {assumption.name}: {assumption.words}", width=100))


class _Session:
    """Checks files one after the other. A file that cannot be read does not keep the others from being checked."""

    def __init__(
        self,
        reading: Reading,
        ontologies: tuple[str, ...] | None,
        prefixes: str | None,
        stack: ExitStack,
        *,
        is_silent: bool,
    ) -> None:
        """Without ontologies (None), only what holds whatever the ontology is found."""
        from kgprobe.queries.files.texts import read_prefixes

        self._reading = reading
        self._ontologies = ontologies
        self._prefixes = {} if prefixes is None else read_prefixes(prefixes)
        self.left_out: Counter[str] = Counter()
        self._stack = stack
        self._is_silent = is_silent
        self._checkers: dict[tuple[str, ...], Checker] = {}
        self._failed: dict[tuple[str, ...], KgprobeError] = {}
        self._given: frozenset[str] = frozenset()
        self.exit_code = 0

    def run(self, paths: tuple[str, ...], *, fix: bool) -> Report:
        """Check all files and print what was found."""
        from kgprobe.queries.diagnostics import Place, Report, Undecided
        from kgprobe.queries.files.query_files import given_by_programs, is_query_file
        from kgprobe.report.queries import skipped_lines, summary_line

        report = Report()
        files = self._files(paths)
        self._given = given_by_programs(files)
        for path, is_named in files.items():
            try:
                report += self._checked(path, fix=fix, is_named=is_named)
            except InputError as error:
                if is_named or is_query_file(path) or error.where is None or error.where.file != path:
                    self._refuse(error)
                else:
                    report += Report(
                        skipped=(Undecided(path, Place(error.where.line or 1, 1, 1, 1, 0, 0), error.message),)
                    )
            except KgprobeError as error:
                self._refuse(error)
        # What is certain comes first.
        report = replace(report, diagnostics=tuple(sorted(report.diagnostics, key=lambda each: not each.is_error)))
        if not self._is_silent:
            self._show(report, to_stderr=fix and "-" in paths)
            if report.queries or report.skipped or not self.exit_code:
                lines = (summary_line(report), *skipped_lines(report, self.left_out))
                click.echo("\n".join(lines), err=fix and "-" in paths)
        return report

    def _show(self, report: Report, *, to_stderr: bool) -> None:
        from kgprobe.report.queries import diagnostic_lines

        for diagnostic in report.diagnostics:
            click.echo("\n".join(diagnostic_lines(diagnostic)), err=to_stderr)

    def _refuse(self, error: KgprobeError) -> None:
        tell("error", str(error))
        self.exit_code = max(self.exit_code, error.exit_code)

    def _files(self, paths: tuple[str, ...]) -> dict[str, bool]:
        """The files, and whether the user named them."""
        from kgprobe.queries.files.query_files import query_paths

        files: dict[str, bool] = {}
        for given in paths:
            try:
                found = query_paths(given)
            except KgprobeError as error:
                self._refuse(error)
                continue
            self.left_out.update(found.left_out)
            for path in found.paths:
                files[path] = files.get(path, False) or path == given
        return files

    def _checked(self, path: str, *, fix: bool, is_named: bool) -> Report:
        from kgprobe.queries.diagnosis.changes import fixed_text
        from kgprobe.queries.diagnosis.checking import check_source
        from kgprobe.queries.files.query_files import read_source, refusal, source_of

        source = read_source(path)
        if is_named and (refused := refusal(source)) is not None:
            raise refused
        checker = self._checker(source)
        report, errors = check_source(source, checker, self._prefixes, self._given)
        if fix:
            text, applied = fixed_text(source.file.text, report)
            if text != source.file.text:
                if path != "-":
                    write_file(Path(path), text.encode())
                report, errors = check_source(source_of(source.file.name, text), checker, self._prefixes, self._given)
            self._say_fixed(path, applied, report)
            if path == "-" and not self._is_silent:
                click.echo(text, nl=False)
        for error in errors:
            self._refuse(error)
        return report

    def _say_fixed(self, path: str, applied: int, report: Report) -> None:
        shown = sum(1 for diagnostic in report.diagnostics if diagnostic.fixes)
        if not self._is_silent and (applied or shown):
            others = f", and {shown} more shown, for you to decide" if shown else ""
            click.echo(f"{path}: {applied} {'fix' if applied == 1 else 'fixes'} made{others}", err=True)

    def _checker(self, source: QuerySource) -> Checker:
        """The checker for the ontologies that the user or the file names."""
        from kgprobe.queries.diagnosis.checking import Checker, named_ontologies
        from kgprobe.queries.schema import Schema, load_schema
        from kgprobe.rdf.graph import Graph

        paths = self._ontologies or (() if self._ontologies is None else named_ontologies(source))
        if not paths and self._ontologies is not None:
            hint = "--ontology FILE, or a comment '# kgprobe: ontology FILE' in the query, names one; or --no-ontology"
            raise InputError("no ontology is given", where=Position(source.file.name), hint=hint)
        if paths in self._failed:
            raise self._failed[paths]
        if paths not in self._checkers:
            try:
                schema = load_schema([self._reading.read(path) for path in paths]) if paths else Schema(Graph())
                checker = Checker(schema)
                self._checkers[paths] = self._stack.enter_context(checker)
                checker.require_consistency()
            except KgprobeError as error:
                self._failed[paths] = error
                self._checkers.pop(paths, None)
                raise
        return self._checkers[paths]
