"""`kgprobe score`: how good a test suite is, by the changes of an ontology that it notices."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from kgprobe.cli.app import resumable, tell
from kgprobe.cli.options import NumberRange, Reading, option, print_json, reads_graphs, takes
from kgprobe.cli.progress import counting_progress
from kgprobe.cli.selection_options import names_regime, names_tests, suite_in
from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.mutation.operator import Operator
from kgprobe.rdf.diff import Versions
from kgprobe.report.junit import JUNIT
from kgprobe.report.score import score_as_json, score_as_junit, score_lines
from kgprobe.suite_score.model import Score, Selecting
from kgprobe.suite_score.scoring import ScoreJob, Scoring, scored

_EXAMPLES = """\b
Examples:
  kgprobe score onto.ttl --tests tests                      take out each axiom once
  kgprobe score onto.ttl --tests tests --fail-under 80 --junit score.xml
  kgprobe score onto.ttl --tests tests --operators owl-el --count 500 --seed 1
  kgprobe score onto.ttl --tests tests --regime rdfs --json
  kgprobe score onto.ttl --shapes shapes.ttl                SHACL shapes are tests, too
  kgprobe score onto.ttl --tests tests --run './check {test} {graph}' --workers 4 --store score.sqlite
"""


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Scoring):
    """The options of the command, by name."""

    tests: tuple[str, ...] = names_tests()
    shapes: tuple[Path, ...] = option(
        "--shapes",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="SHACL shapes: each shape with a target is a test.",
    )
    run: str | None = option(
        "--run",
        metavar="COMMAND",
        help="Run each test with this command, which contains {test} and {graph}, the file of a mutant.",
    )
    seconds: float | None = option(
        "--time-limit",
        metavar="SECONDS",
        type=NumberRange(min=0.1),
        help="Time limit for each run of a test.  [60; 600 with --run]",
    )
    every_axiom: bool = option(
        "--every-axiom", is_flag=True, help="Take out each logical axiom once. This is the default."
    )
    annotations: bool = option("--annotations", is_flag=True, help="Take out annotations, too.")
    operators: tuple[str | Operator, ...] = option(
        "--operators",
        metavar="NAME",
        multiple=True,
        callback=lambda _, __, given: tuple(name for text in given for name in _names(text)),
        help="Make random mutants instead: an operator set, an operator, or a .ru file.",
    )
    count: int | None = option(
        "--count", metavar="N", type=click.IntRange(1), help="With --operators: the number of mutants.  [100]"
    )
    seed: int | None = option("--seed", metavar="N", type=int, help="With --operators: the random seed.  [0]")
    all_kills: bool = option(
        "--all-kills", is_flag=True, help="Do not stop at the first test that kills. --every-axiom implies it."
    )
    select: Selecting = option(
        "--select",
        type=click.Choice([each.value for each in Selecting]),
        callback=lambda _, __, name: Selecting(name),
        default=Selecting.AUTO.value,
        show_default=True,
        help="Run only the tests that the change can affect.",
    )
    regime: Regime = names_regime()
    reasoner: str | None = option(
        "--reasoner", metavar="NAME", help="Count inconsistent mutants as killed, by this reasoner; auto is one."
    )
    skip_failing: bool = option("--skip-failing", is_flag=True, help="Leave out tests that fail on the original.")
    fail_under: float | None = option(
        "--fail-under", metavar="PERCENT", type=NumberRange(0, 100), help="Exit with 1 if the score is lower."
    )
    store: Path | None = option(
        "--store", metavar="FILE", type=click.Path(path_type=Path), help="Keep results here, and resume."
    )
    workers: int = option(
        "--workers",
        metavar="N",
        type=click.IntRange(1, 1024),
        default=1,
        help="Mutants that are judged at the same time.  [1]",
    )
    junit: Path | None = option(
        "--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write a report in JUnit's format."
    )
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    def check(self) -> None:
        """Raise InputError if options contradict each other: kgprobe would silently ignore one of them."""
        if self.operators and self.every_axiom:
            raise InputError("--every-axiom and --operators cannot be combined", hint="use one at a time")
        if self.operators and self.annotations:
            raise InputError("--annotations is for --every-axiom, not for --operators")
        for name, value in (("--count", self.count), ("--seed", self.seed)):
            if value is not None and not self.operators:
                raise InputError(f"{name} needs --operators, which make random mutants", hint="--operators owl-el")
        for path in self.shapes:
            if not path.exists():
                raise InputError("does not exist", where=Position(str(path)), hint="name a file with SHACL shapes")
        if self.run is not None and self.shapes and not self.tests:
            raise InputError("--run needs --tests, the tests to run", hint="kgprobe validates --shapes itself")

    @property
    def places(self) -> list[Path]:
        """The folders and files with tests; none if shapes are the only tests."""
        return [Path(place) for place in self.tests] or ([] if self.shapes else [Path()])


@click.command("score", epilog=_EXAMPLES)
@click.argument("ontology", metavar="ONTOLOGY")
@takes(ScoreOptions)
@reads_graphs
def command(ontology: str, reading: Reading, options: ScoreOptions) -> int:
    """Print how good the tests of an ontology are: the share of its mutants that a test notices.

    Tests are those that `kgprobe select` finds. A test kills a mutant if its answer is not that on ONTOLOGY, or not
    what the test expects. Exit code 1: the score is lower than --fail-under.
    """
    options.check()
    if options.junit is not None:
        JUNIT.check(options.junit)  # before hours of work
    graph = reading.read(ontology).graph
    job = ScoreJob.by(options, graph, suite_in(options.places, Versions(graph, graph)), Path(ontology).name)
    with resumable(options.store), counting_progress("mutants", 100) as advance:
        found = scored(job, lambda done, total: advance(100 * done // max(total, 1)))
    if options.junit is not None:
        JUNIT.write(options.junit, score_as_junit(found, Path(ontology).name))
    for note in found.notes:
        tell("warning", note)
    if options.as_json:
        if found.left_out:
            shown = ", ".join(left.test for left in found.left_out[:3])
            more = "" if len(found.left_out) <= 3 else f" and {len(found.left_out) - 3} more"
            tell("warning", f"tests that were not run, and do not count: {shown}{more}")
        print_json(score_as_json(found))
    else:
        for line in score_lines(found):
            click.echo(line)
    if found.score is None:
        tell("warning", "there is no score: no mutant was killed, and none survived")
    return _exit_code(found, options.fail_under)


def _names(given: str) -> list[str]:
    """Several names may be separated by commas."""
    return [given] if Path(given).exists() else [name for each in given.split(",") if (name := each.strip())]


def _exit_code(found: Score, fail_under: float | None) -> int:
    if fail_under is None and found.score is None:
        message = "nothing was tested: no mutant was killed, and none survived"
        raise UnavailableError(message, hint="the reasons are above")
    if fail_under is None:
        return 0
    if found.score is not None and found.score >= fail_under:
        return 0
    shown = "there is no score" if found.score is None else f"the score is {found.score:.1f}"
    click.echo(f"kgprobe: {shown}, and --fail-under asks for {fail_under:g}", err=True)
    sys.stdout.flush()
    return 1
