"""The options of `kgprobe select`, except those for reading graphs, and the tests that they name.

`kgprobe score` finds tests in the same way, and shares some options.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, Position
from kgprobe.rdf.diff import Versions
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import Suite
from kgprobe.selection.warehouse.profile import Warehouse

__all__ = ["SelectOptions", "found_tests", "names_regime", "names_tests", "suite_in"]

_MOST_SUFFIXES = 6

names_tests = click.option("--tests", "tests", metavar="PATH", multiple=True, help="A folder or file with tests.  [.]")
names_regime = click.option(
    "--regime",
    type=click.Choice([each.value for each in Regime]),
    callback=lambda _, __, name: Regime(name),
    default=Regime.NONE.value,
    show_default=True,
    help="The entailments that the system under test computes.",
)


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """The options of the command, by name."""

    tests: tuple[str, ...]
    since: str | None
    regime: Regime
    reasoner: str | None
    mode: str
    output: str
    as_json: bool
    matrix: Path | None
    recorded: Path | None
    test_files: tuple[str, ...]
    terms_command: str | None
    schema: tuple[Path, ...]
    database: str | None
    dialect: str | None
    warehouse: str | None
    failures: tuple[Path, ...]
    run: str | None
    load: str | None
    time_limit: float
    fix: bool
    minimal: bool
    also: tuple[tuple[str, str], ...]
    with_coverage: bool
    record: str | None
    history: str | None
    audit: bool
    mutants: int
    mutations: int
    operators: tuple[str, ...]
    seed: int

    def check(self) -> None:
        """Raise InputError if options ask for different jobs: kgprobe would silently ignore one of them."""
        _ = self.described
        jobs = {"--audit": self.audit, "--history": self.history is not None, "--record": self.record is not None}
        asked = [name for name, is_given in jobs.items() if is_given]
        of_a_plan = {
            "--since": self.since,
            "--run": self.run,
            "--fix": self.fix,
            "--coverage": self.with_coverage,
            "--failures": self.failures,
            "--minimal": self.minimal,
            "--also": self.also,
        }
        if self.load is not None and not (self.audit and self.run):
            raise InputError(
                "--load is for an audit that runs the tests",
                hint="--audit --load './load {graph}' --run './test {test}'",
            )
        if self.audit and self.load is not None:
            del of_a_plan["--run"]
        elif self.audit and self.run:
            hint = "--load './load {graph}', the command that loads a version before the tests run"
            raise InputError("--audit with --run needs --load", hint=hint)
        if asked:
            asked += [name for name, given in of_a_plan.items() if given]
        if len(asked) > 1:
            raise InputError(f"{asked[0]} and {asked[1]} cannot be combined", hint="use one at a time")

    @property
    def prints_json(self) -> bool:
        return self.as_json or self.output == "json"

    @cached_property
    def described(self) -> Warehouse | None:
        """What the tables of a database hold, by its profile. InputError if that has a mistake."""
        if self.warehouse is None:
            return None
        from kgprobe.config.warehouse import load_warehouse  # not above: few commands have a profile

        return load_warehouse(self.warehouse)

    @property
    def places(self) -> list[Path]:
        """The folders and files with tests."""
        return [Path(place) for place in self.tests] or [Path()]

    def finder(self) -> FinderOptions:
        """How to find tests. Raise InputError if the options contradict each other."""
        try:
            command = tuple(shlex.split(self.terms_command or ""))
        except ValueError as error:
            raise InputError(f"--terms-command: {self.terms_command!r} is not a valid command: {error}") from None
        dialect = None
        if self.database is not None:
            from kgprobe.selection.warehouse.database import check_database  # these take long to import

            check_database(self.database)
        if self.dialect is not None:
            from kgprobe.selection.warehouse.sql.statements import checked_dialect

            dialect = checked_dialect(self.dialect)
        if command and not self.test_files:
            hint = "--test-files '*.cypher'"
            raise InputError("--terms-command needs --test-files, the files to run it for", hint=hint)
        return FinderOptions(
            matrix=self.matrix,
            recorded=None if self.record else self.recorded,
            test_files=self.test_files,
            terms_command=command,
            schema=self.schema,
            database=self.database,
            dialect=dialect,
            stored=() if self.described is None else self.described.relations,
        )


def found_tests(places: Sequence[Path], versions: Versions, options: FinderOptions) -> Suite:
    """The tests in these folders and files. Notes about them, or that there are none, go to stderr."""
    suite = suite_in(places, versions, options)
    if suite.skipped:
        tell("note", _about_skipped(suite.skipped))
    if not suite.tests:
        tell("warning", f"no tests found in {', '.join(map(str, places))}")
    return suite


def _about_skipped(skipped: Sequence[tuple[str, int]]) -> str:
    said = ", ".join(f"{count:,} {suffix or 'without an extension'}" for suffix, count in skipped[:_MOST_SUFFIXES])
    more = f", and {len(skipped) - _MOST_SUFFIXES} more kinds" if len(skipped) > _MOST_SUFFIXES else ""
    glob = f"'*{next((suffix for suffix, _ in skipped if suffix), '')}'"
    return f"not read as tests: {said}{more}; --test-files {glob} makes such files tests"


def suite_in(places: Sequence[Path], versions: Versions, options: FinderOptions | None = None) -> Suite:
    """The same, without a warning if there are none."""
    for place in places:
        if not place.exists():
            raise InputError("does not exist", where=Position(str(place)), hint="name a folder or file with tests")
    suite = find_tests(places, Vocabulary.of(versions.new, versions.old), options)
    for note in suite.notes:
        tell("note", note)
    return suite
