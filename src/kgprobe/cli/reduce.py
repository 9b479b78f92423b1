"""`kgprobe reduce`: reduces a failing graph, and keeps the failure."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import click

from kgprobe.campaign.experiment import FailureReduced, NoSuchFailureError, Sameness, Wanted, job_for, reduce_failure
from kgprobe.campaign.harness import Harness, harness_of, known_in
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import check_systems
from kgprobe.campaign.store import seed_file
from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, Reading, option, print_json, reads_graphs, spelled, takes
from kgprobe.cli.progress import reducing_progress
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import NO_LIMITS, Limits, as_seed
from kgprobe.config.profile import Inputs, KnownBug, OracleTable
from kgprobe.config.system_table import GraphSent
from kgprobe.config.systems import CommandTable, ReasonerTable
from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.formats.catalogue import FORMATS, by_extension
from kgprobe.formats.files import Loaded, save, writable_format
from kgprobe.formats.format import Format
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.catalogue import entry
from kgprobe.reduction.problem import REPEATS, Better, DoesNotFailError, Effort, Progress
from kgprobe.reduction.reducer import ALGORITHMS, Algorithm, Options
from kgprobe.report.reduction import Reduced
from kgprobe.systems.reasoner import TASKS
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable

_EXAMPLES = """\b
Examples:
  kgprobe reduce onto.owl --system 'java -jar tool.jar {graph}'         keeps how the command ends
  kgprobe reduce onto.owl --system 'tool -i {graph}' --exact            and everything that it prints
  kgprobe reduce onto.owl --differential openllet,hermit,elk --task hierarchy
  kgprobe reduce mutant-0017.ttl --profile profile.toml --seed-graph robot.ttl
  kgprobe reduce onto.owl --system 'tool {graph}' --repeats 30          a failure that comes and goes
  kgprobe reduce onto.owl --system 'tool {graph}' --json                print JSON
"""


# -- options -----------------------------------------------------------------------------------------------------------

_WAYS = ("system", "differential", "profile")
# Options that work with only one of these.
_ONLY_WITH = {"task": "differential", "system_format": "system"}


@dataclass(frozen=True, kw_only=True)
class ReduceOptions:
    """The options of the command, by name. There are three ways to name the failing system."""

    system: str | None = option(
        "--system",
        metavar="COMMAND",
        help="Keep how this command ends. {graph} is the file; without it, standard input.",
    )
    differential: str | None = option(
        "--differential", metavar="NAMES", help="Keep a disagreement of these reasoners: openllet,hermit,elk"
    )
    profile: str | None = option(
        "--profile", metavar="PROFILE", help="Keep a failure of the systems and the oracle of this profile."
    )
    task: str | None = option(
        "--task", type=click.Choice(list(TASKS)), help="The question to the reasoners.  [consistency]"
    )
    signature: str | None = option(
        "--signature", metavar="PATTERN", help="The failure to keep, if there are several; * stands for any text."
    )
    exact: bool = option("--exact", is_flag=True, help="Keep all output of the systems, not only the failure.")
    outside_mask: bool = option("--outside-mask", is_flag=True, help="Ignore the mask and the pins of the profile.")
    algorithm: Algorithm = option(
        "--algorithm", type=click.Choice(ALGORITHMS), default="axioms", help="halving is the paper's.  [axioms]"
    )
    seed: int = option("--seed", type=int, default=0, metavar="N", help="The random seed, for halving.  [0]")
    seed_graph: str | None = option(
        "--seed-graph", metavar="FILE", help="The graph that it was made from: changes to it are undone first."
    )
    no_simplify: bool = option("--no-simplify", is_flag=True, help="Keep names and literals as they are.")
    repeats: int | None = option(
        "--repeats",
        type=click.IntRange(1),
        metavar="N",
        help="Runs of GRAPH at the start and of the result at the end, to measure how often each fails.  [10]",
    )
    confidence: float = option(
        "--confidence",
        type=NumberRange(0, 1, min_open=True, max_open=True),
        default=0.99,
        metavar="P",
        help="The probability that the result fails as often as GRAPH.  [0.99]",
    )
    most_runs: int | None = option("--most-runs", type=click.IntRange(1), metavar="N", help="Stop after N runs.")
    seconds: float | None = option(
        "--seconds", type=NumberRange(0, min_open=True), metavar="N", help="Time for each run.  [60]"
    )
    memory_mb: int | None = option(
        "--memory-mb", type=click.IntRange(1), metavar="N", help="Memory for each run.  [2048]"
    )
    system_format: str | None = option(
        "--system-format", metavar="FORMAT", help="The format that the command gets.  [turtle]"
    )
    workers: int | None = option(
        "--workers", type=click.IntRange(1, 1024), metavar="N", help="Runs at the same time.  [processors]"
    )
    out: str | None = option("--out", metavar="FILE", help="The file to write to.  [GRAPH with .reduced.ttl]")
    written_as: str | None = option(
        "--format", old="--to", metavar="FORMAT", help="The format of --out.  [by its name, otherwise turtle]"
    )
    force: bool = option("--force", is_flag=True, help="Replace an existing file.")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    def __post_init__(self) -> None:
        ways = [way for way in _WAYS if getattr(self, way) is not None]
        if len(ways) != 1:
            named = f"not both --{ways[0]} and --{ways[1]}" if ways else "and none is given"
            raise InputError(f"name the failing system with one of --system, --differential and --profile, {named}")
        for name, way in _ONLY_WITH.items():
            if getattr(self, name) is not None and ways != [way]:
                raise InputError(f"{spelled(self, name)} works only with --{way}")
        if self.outside_mask and ways != ["profile"]:
            raise InputError("--outside-mask works only with --profile")
        if self.most_runs is not None and self.repeats is not None and self.most_runs < self.repeats:
            raise InputError(f"--repeats {self.repeats} exceeds --most-runs {self.most_runs}")

    @property
    def first_runs(self) -> int:
        """The number of runs of the whole graph at the start."""
        if self.repeats is not None:
            return self.repeats
        return REPEATS if self.most_runs is None else min(REPEATS, self.most_runs)

    @property
    def sameness(self) -> Sameness:
        """The property that a smaller graph must share with the whole one."""
        return Sameness.EXACT if self.exact else Sameness.ENDING if self.system else Sameness.SIGNATURE


@click.command("reduce", epilog=_EXAMPLES)
@click.argument("graph", metavar="GRAPH")
@reads_graphs
@takes(ReduceOptions)
def command(graph: str, reading: Reading, options: ReduceOptions) -> int:
    """Make GRAPH as small as possible while a system still fails on it in the same way, and as often.

    First axioms are removed, then expressions, names and literals are simplified. With a profile, the result is
    admissible and keeps all pinned triples. The best graph so far is always in the file, even after Ctrl-C.
    """
    loaded = reading.read(graph)
    under_test = _under_test(options)
    target = Target(loaded.name, options)
    as_it_looks = dataclasses.replace(reading, format_name=None, base=None)
    seed, whole = _seed_and_graph(loaded.graph, under_test.harness, options.seed_graph, as_it_looks.read)
    try:
        with _limits(dataclasses.replace(loaded, graph=seed), whole, under_test, options) as limits:
            done = _reduced(loaded.name, seed, whole, limits, under_test, options, target)
    except (KeyboardInterrupt, KgprobeError):
        target.tell()
        raise
    reduced = Reduced(
        graph=loaded.name,
        reduction=done.reduction,
        kept=done.kept,
        written=target.path,
        algorithm=options.algorithm,
        shown=done.shown,
        limits=limits,
        seed_written=None if done.reduction.before is None else target.seed_path,
    )
    if options.as_json:
        print_json(reduced.value())
    else:
        for line in reduced.lines():
            click.echo(line)
    return 0


def _reduced(
    name: str, seed: Graph, graph: Graph, limits: Limits, under_test: UnderTest, options: ReduceOptions, target: Target
) -> FailureReduced:
    """Run the reduction: show its progress, and keep the smallest graph so far in the file."""
    wanted = Wanted(
        sameness=options.sameness,
        signature=options.signature,
        known=known_in(under_test.known),
        disagreements_first=options.differential is not None,
        or_success=options.system is not None,
    )
    workers = options.workers or under_test.workers or os.cpu_count() or 1
    with (
        closing(LocalWorkers(job_for(under_test.harness, seed), workers)) as executor,
        reducing_progress(Path(name).name) as on_progress,
        _said_of(name, options),
    ):
        effort = Effort(repeats=options.first_runs, confidence=options.confidence, most_runs=options.most_runs)
        how = Options(
            algorithm=options.algorithm,
            effort=effort,
            seed=seed if options.seed_graph else None,
            simplify=not options.no_simplify,
            random=Random(options.seed),
        )
        events = reduce_failure(executor, under_test.harness, graph, wanted, limits, made_of=seed, options=how)
        for event in events:
            match event:
                case Progress():
                    on_progress(event)
                case Better(candidate=better, before=before):
                    target.write(better, before)
                case FailureReduced():
                    return event
    raise AssertionError("a reduction ends with its result")


@contextmanager
def _said_of(name: str, options: ReduceOptions) -> Iterator[None]:
    """Report errors about the failure with this file's name, worded for the option that was given."""
    try:
        yield
    except DoesNotFailError as error:
        message, hint = error.message, error.hint
        if options.system:
            message = "the command succeeds on this graph: there is nothing to reduce"
            hint = "--exact also keeps its output"
        elif options.differential:
            message = "the reasoners do not disagree about this graph: there is nothing to reduce"
        raise InputError(message, where=Position(name), hint=hint) from None
    except NoSuchFailureError as error:
        raise InputError(error.message, where=Position(name), hint=error.hint) from None


@contextmanager
def _limits(seed: Loaded, whole: Graph, under_test: UnderTest, options: ReduceOptions) -> Iterator[Limits]:
    """The limits for all parts of the graph. InputError if the whole graph is not admissible."""
    if under_test.inputs is None or options.outside_mask:
        yield NO_LIMITS
        return
    with as_seed(seed, under_test.inputs) as bounded:
        limits = Limits.of(bounded)
        objection = limits.objection(whole)
        if objection is not None:
            hint = "--outside-mask reduces it anyway"
            raise InputError(f"is not admissible: {objection}", where=Position(seed.name), hint=hint)
        yield limits


# -- systems and graphs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnderTest:
    """The systems and the oracle; from a profile, also its limits on graphs and its known bugs."""

    harness: Harness
    inputs: Inputs | None = None
    known: tuple[KnownBug, ...] = ()
    workers: int | None = None


def _under_test(options: ReduceOptions) -> UnderTest:
    """The systems and the oracle that the options name."""
    given = {"seconds": options.seconds, "memory_mb": options.memory_mb}
    limits: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if options.profile is not None:
        profile = load_profile(options.profile)
        check_systems(profile)
        systems = tuple(dataclasses.replace(system, **limits) for system in profile.systems)
        harness = dataclasses.replace(harness_of(profile), systems=systems)
        return UnderTest(harness, profile.inputs, profile.known, profile.campaign.workers)
    oracle = OracleTable(exit=(0,))
    if options.system is not None:
        return UnderTest(Harness((_command(options.system, options.system_format, limits),), oracle))
    names = _reasoners(options.differential or "")
    task = options.task or "consistency"
    return UnderTest(Harness(tuple(ReasonerTable(reasoner=name, task=task, **limits) for name in names), oracle))


def _command(text: str, format_name: str | None, limits: dict[str, Any]) -> CommandTable:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--system cannot be split into words: {error}") from None
    if not words:
        raise InputError("--system does not name a program")
    sends = GraphSent(writable_format("-", format_name or "turtle").name)
    return CommandTable(command=tuple(words), sends=sends, **limits)


def _reasoners(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    found = [name if name.casefold() == "auto" else entry(name).name for name in names]
    if len(set(found)) < max(2, len(found)):
        raise InputError("--differential needs two or more different reasoners", hint="see 'kgprobe reasoners'")
    return found


def _seed_and_graph(
    graph: Graph, harness: Harness, seed_graph: str | None, read: Callable[[str], Loaded]
) -> tuple[Graph, Graph]:
    """The seed graph, and the graph as changes to it; without a seed graph, the graph twice."""
    if seed_graph is None:
        if harness.oracle.compares_with_seed:
            hint = "name it with --seed-graph"
            raise InputError("the oracle of this profile compares with the answers for the seed graph", hint=hint)
        return graph, graph
    from kgprobe.rdf.diff import aligned  # it needs numpy

    changed = aligned(read(seed_graph).graph, graph, whole_components=True).new
    return Graph.from_table(changed.table, changed.spelling), changed


# -- the file with the result ------------------------------------------------------------------------------------------


class Target:
    """The file with the smallest graph so far."""

    def __init__(self, name: str, options: ReduceOptions) -> None:
        wanted = None if options.written_as is None else writable_format(name, options.written_as)
        self.path = _out(name, options.out, wanted or FORMATS["turtle"])
        self._best: tuple[Graph, Graph | None] | None = None
        self._triples: int | None = None  # in the file
        self.seed_path = seed_file(self.path)
        for path in (self.path, *([self.seed_path] if options.seed_graph else ())):
            inputs = filter(None, (name, options.seed_graph, options.profile))
            check_writable(path, force=options.force, inputs=inputs)
        self._may_replace = options.force
        if wanted is None:
            wanted = writable_format(self.path.name, None if by_extension(self.path.name) else "turtle")
        self._format = wanted.name
        if not wanted.writes_any_graph:
            # A part of a graph may not be an ontology.
            raise InputError(
                f"{wanted.title} cannot express every graph", where=Position(str(self.path)), hint="use .ttl"
            )

    def write(self, graph: Graph, before: Graph | None = None) -> None:
        """Replace the file, and for a difference also that of the part of the seed graph to compare with."""
        self._best = graph.copy(), before
        if before is not None:
            save(before, self.seed_path, format_name=self._format, force=self._may_replace)
        save(graph, self.path, format_name=self._format, force=self._may_replace)
        self._may_replace = True  # they are ours now
        self._triples = len(graph)

    def tell(self) -> None:
        """Print where the smallest graph so far is, if the reduction did not finish."""
        if self._best is not None:
            with suppress(InputError):
                self.write(*self._best)  # an interruption may have come before it was written
        if self._triples is not None:
            tell("note", f"the smallest graph so far, {number_of(self._triples, 'triple')}, is in {self.path}")


def _out(name: str, out: str | None, wanted: Format) -> Path:
    if out == "" or out == "-":
        raise InputError("--out needs a file", hint="it always holds the smallest graph so far")
    if out is not None:
        return Path(out)
    if name == "<stdin>":
        raise InputError("a graph from standard input has no name to write to", hint="name a file with --out")
    path = Path(name)
    path = path.with_suffix("") if path.suffix == ".gz" else path
    return path.with_name(f"{path.stem}.reduced.{wanted.extensions[0]}")
