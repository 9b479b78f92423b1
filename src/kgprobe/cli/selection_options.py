"""The options of `kgprobe select`, except those for reading graphs, and the tests that they name.

`kgprobe score` finds tests in the same way, and shares some options.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, option
from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, Position
from kgprobe.rdf.diff import Versions
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.tests import Suite
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.selection.warehouse.profile import Warehouse

_MOST_SUFFIXES = 6
_FORMATS = ("text", "list", "json", "pytest", "junit")


def names_tests() -> Any:
    """The option for the places of tests."""
    return option("--tests", metavar="PATH", multiple=True, help="A folder or file with tests.  [.]")


def names_regime() -> Any:
    """The option for what the system under test infers."""
    return option(
        "--regime",
        type=click.Choice([regime.value for regime in Regime]),
        callback=lambda _, __, name: Regime(name),
        default=Regime.NONE.value,
        show_default=True,
        help="The entailments that the system under test computes.",
    )


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """The options of the command."""

    also: tuple[tuple[str, str], ...] = option(
        "--also",
        metavar="OLD NEW",
        nargs=2,
        multiple=True,
        help="The versions of another ontology that the tests use. With --since, name each NEW instead.",
    )
    tests: tuple[str, ...] = names_tests()
    since: str | None = option(
        "--since",
        metavar="REVISION",
        help="Use NEW at this git revision as OLD, imports included, and also select tests that have changed.",
    )
    regime: Regime = names_regime()
    reasoner: str | None = option("--reasoner", metavar="NAME", help="The reasoner to use for classification.  [auto]")
    mode: str = option(
        "--mode",
        type=click.Choice(["safe", "paper"]),
        default="safe",
        show_default=True,
        help="Select by everything that a test can see, or by the algorithm from the paper.",
    )
    output: str = option("--format", type=click.Choice(_FORMATS), default="text", help="The output format.  [text]")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")
    matrix: Path | None = option(
        "--matrix",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A table of the terms that each test uses, in CSV or TOML.",
    )
    recorded: Path | None = option(
        "--recorded",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A record of what the tests used in an earlier run.",
    )
    test_files: tuple[str, ...] = option(
        "--test-files",
        metavar="GLOB",
        multiple=True,
        help="Additional test files, of any kind: the names of terms in them count.",
    )
    terms_command: str | None = option(
        "--terms-command", metavar="COMMAND", help="A command that prints the terms used in such a file, {test}."
    )
    schema: tuple[Path, ...] = option(
        "--schema",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A file or folder with the definitions of the tables and views that SQL tests ask.",
    )
    database: str | None = option(
        "--database", metavar="URL", help="A live database with these definitions. kgprobe only reads them."
    )
    dialect: str | None = option(
        "--dialect", metavar="NAME", help="The SQL dialect of the tests, such as postgres or duckdb.  [all that fit]"
    )
    warehouse: str | None = option(
        "--warehouse",
        metavar="FILE|NAME",
        help="What the tables hold that tests in SQL read: a profile, or go, i2b2 or labels.",
    )
    failures: tuple[Path, ...] = option(
        "--failures",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="JUnit reports of earlier runs: tests that failed often come first.",
    )
    run: str | None = option(
        "--run", metavar="COMMAND", help="Run each selected test with this command, which contains {test}."
    )
    load: str | None = option(
        "--load",
        metavar="COMMAND",
        help="With --audit and --run: load a version, {graph}, run every test on it, and compare the results.",
    )
    time_limit: float = option(
        "--time-limit",
        metavar="SECONDS",
        type=NumberRange(min=0.1),
        default=600.0,
        help="Time limit for each test, and for each load.  [600]",
    )
    fix: bool = option(
        "--fix",
        is_flag=True,
        help="Repair tests that name a deleted entity with a known replacement, or have a label that changed.",
    )
    minimal: bool = option(
        "--minimal",
        is_flag=True,
        help="Choose few tests that cover the change. This is not safe: a test that is left out may fail.",
    )
    with_coverage: bool = option("--coverage", is_flag=True, help="Print how much of the ontology the tests cover.")
    record: str | None = option(
        "--record",
        metavar="COMMAND",
        help="Run all tests against a recording endpoint, and write the record to --recorded.",
    )
    history: str | None = option(
        "--history",
        metavar="N|RANGE",
        help="Print one line for each of the last N changes in git, or for those in a range.",
    )
    audit: bool = option(
        "--audit", is_flag=True, help="Check on mutants that no test changes its answer without being selected."
    )
    mutants: int = option(
        "--mutants",
        metavar="N",
        type=click.IntRange(1),
        default=1000,
        help="With --audit: the number of mutants.  [1000]",
    )
    mutations: int = option(
        "--mutations",
        metavar="N",
        type=click.IntRange(1),
        default=3,
        help="With --audit: the most steps to a mutant.  [3]",
    )
    operators: tuple[str, ...] = option(
        "--operators",
        metavar="NAME",
        multiple=True,
        help="With --audit: operator sets, operators, or .ru files.  [generic, owl-dl, abox]",
    )
    seed: int = option("--seed", metavar="N", type=int, default=0, help="With --audit: the random seed.  [0]")

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
            from kgprobe.selection.discovery.schemas import check_database  # these take long to import

            check_database(self.database)
        if self.dialect is not None:
            from kgprobe.selection.sql.statements import checked_dialect

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
