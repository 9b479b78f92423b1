"""`kgprobe coverage`: which features of the input space occur in graphs and in mutants of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, graph_files, option, print_json, reads_graphs, takes
from kgprobe.cli.progress import counting_progress
from kgprobe.errors import InputError, Position
from kgprobe.input_coverage.feature_set import FeatureSet
from kgprobe.input_coverage.features import BUILT_IN, COUNTED_AS, TERMS, feature_set
from kgprobe.learning.mutant_coverage import (
    DEFAULT_COUNT,
    DEFAULT_GROUPS,
    DEFAULT_MUTATIONS,
    Coverage,
    CoveragePlan,
    Curve,
    curve_of,
    measure_given,
    measure_made,
)
from kgprobe.rdf.graph import Graph
from kgprobe.report.coverage import coverage_csv, coverage_lines, measured_lines
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable, write_new

_EXAMPLES = """\b
Examples:
  kgprobe coverage onto.owl                                     which features of OWL 2 EL the graph has
  kgprobe coverage onto.owl --operators owl-el --mutations 0,5,20 --count 50
  kgprobe coverage onto.owl --operators owl-el --operators generic --count 50 --plot coverage.svg
  kgprobe coverage onto.owl --features axioms --json            kinds of axioms, as JSON
  kgprobe coverage --mutants-in mutants                         mutants that 'kgprobe mutate' wrote
"""

_NUMBER = re.compile(r"-?[0-9]{1,18}")
_MOST_MUTATIONS = 1_000_000
# For each row, 100 groups of this size are drawn: a second's work.
_MOST_IN_A_GROUP = 100_000


class Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers, separated by commas."""

    name = "numbers"

    def __init__(self, least: int, most: int) -> None:
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(map(_NUMBER.fullmatch, parts)):
            self.fail(f"'{value}' is not a list of whole numbers, such as 0,1,5,50", param, ctx)
        numbers = tuple(map(int, parts))
        for number in numbers:
            if number < self._least:
                self.fail(f"{number} is less than {self._least}", param, ctx)
            if number > self._most:
                self.fail(f"{number} is more than {self._most}", param, ctx)
        return tuple(dict.fromkeys(numbers))


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


@dataclass(frozen=True, kw_only=True)
class CoverageOptions:
    """The options of the command."""

    features: str = option(
        "--features",
        default="owl-el",
        show_default=True,
        metavar="SET|FILE",
        help=f"The features: {', '.join(BUILT_IN)}, terms:ONTOLOGY, or a file with IRIs or ASK queries.",
    )
    count_as: str = option(
        "--count-as",
        type=click.Choice(COUNTED_AS),
        default="list",
        show_default=True,
        help="Count the features of the list, or all of rdf, rdfs, owl and xsd, as the paper's program does.",
    )
    operators: tuple[str, ...] = option(
        "--operators",
        metavar="A,B",
        multiple=True,
        help="Make mutants with these operators, sets, or .ru files. Given again, it makes a second curve.",
    )
    mutations: tuple[int, ...] | None = option(
        "--mutations",
        type=Numbers(0, _MOST_MUTATIONS),
        metavar="N,N",
        help=f"Steps from the seed graph to a mutant; 0: the seed graphs.  [{_listed(DEFAULT_MUTATIONS)}]",
    )
    count: int | None = option(
        "--count",
        type=click.IntRange(1),
        metavar="N",
        help=f"Mutants for each number of mutations, of the seed graphs in turn.  [{DEFAULT_COUNT}]",
    )
    groups: tuple[int, ...] = option(
        "--groups",
        type=Numbers(1, _MOST_IN_A_GROUP),
        default=DEFAULT_GROUPS,
        metavar="N,N",
        help=f"How many graphs to take together: 1 takes each once, others 100 samples.  [{_listed(DEFAULT_GROUPS)}]",
    )
    seed: int = option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="The same number, the same result."
    )
    csv_file: str | None = option("--csv", metavar="FILE", help="Write the rows as CSV.")
    plot_file: str | None = option("--plot", metavar="FILE", help="Draw the curves: FILE.svg or FILE.png.")
    raw_file: str | None = option(
        "--mutants", metavar="FILE", help="Write the features of each graph, as lines of JSON."
    )
    force: bool = option("--force", is_flag=True, help="Replace files that exist.")
    given: str | None = option(
        "--mutants-in",
        metavar="FOLDER|STORE",
        help="Read mutants that 'kgprobe mutate' or 'kgprobe test' made, instead of making some.",
    )
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    def check(self, inputs: Sequence[str]) -> None:
        """InputError for options that contradict each other, or files that cannot be written or are inputs."""
        making = {"--operators": self.operators, "--mutations": self.mutations, "--count": self.count}
        given = [name for name, value in making.items() if value]
        if self.given is not None and given:
            raise InputError(f"--mutants-in reads mutants: {given[0]} is not allowed")
        if not self.operators and self.given is None and (self.count or any(self.mutations or ())):
            hint = "name a set: --operators owl-el for an ontology, --operators generic for any graph"
            raise InputError("no operators are named", hint=hint)
        written = [path for path in (self.csv_file, self.plot_file, self.raw_file) if path is not None]
        for path in written:
            check_writable(Path(path), force=self.force, inputs=[*inputs, *filter(None, [self.given])])
        if len({Path(path).resolve() for path in written}) < len(written):
            raise InputError("two results cannot be written to the same file")
        if self.plot_file is not None:
            from kgprobe.input_coverage.plotting import check_plot

            check_plot(Path(self.plot_file))

    def plan(self) -> CoveragePlan:
        mutations = DEFAULT_MUTATIONS if self.mutations is None else self.mutations
        return CoveragePlan(mutations, self.count or DEFAULT_COUNT, self.groups, self.seed)


@click.command("coverage", epilog=_EXAMPLES)
@click.argument("graphs", metavar="GRAPH...", nargs=-1)
@takes(CoverageOptions)
@reads_graphs
def command(reading: Reading, graphs: tuple[str, ...], options: CoverageOptions) -> None:
    """Measure which features occur in each GRAPH, a file or a folder, and in mutants made from them.

    Shares of mutants are compared with those of the graphs by t-tests. Without --operators, only the graphs are
    measured.
    """
    files = graph_files(graphs)
    options.check([*files, options.features.removeprefix(TERMS)])
    chosen = feature_set(options.features, count_as=options.count_as, read_graph=lambda path: reading.read(path).graph)
    curves = [curve_of(names) for names in options.operators]
    seeds = [_read(path, reading) for path in files]
    if not seeds and options.given is None:
        raise InputError("name a graph to measure", hint="see 'kgprobe coverage --help'")
    result = _given(seeds, chosen, options) if options.given is not None else _made(seeds, chosen, curves, options)
    _write(result, chosen, options)
    if result.missing:
        are = "is" if result.missing == 1 else "are"
        tell("warning", f"{number_of(result.missing, 'mutant')} {are} missing: all attempts to make another one failed")
    if options.as_json:
        print_json(result.value())
    else:
        for line in coverage_lines(result):
            click.echo(line)


def _read(path: str, reading: Reading) -> Graph:
    graph = reading.read(path).graph
    if not len(graph):
        raise InputError("this graph is empty", where=Position(path))
    return graph


def _made(seeds: list[Graph], features: FeatureSet, curves: list[Curve], options: CoverageOptions) -> Coverage:
    plan = options.plan()
    total = len(curves) * len(set(plan.mutations) - {0}) * plan.count
    progress = counting_progress("mutants measured", total) if total else nullcontext(lambda _done: None)
    with progress as advance:
        return measure_made(seeds, features, curves, plan, advance)


def _given(seeds: list[Graph], features: FeatureSet, options: CoverageOptions) -> Coverage:
    # Most calls need no campaign.
    from kgprobe.learning.stored_campaign import opened_mutants

    with opened_mutants(Path(options.given or "")) as given:
        return measure_given(given.seeds, given.mutants, features, options.plan(), instead=seeds)


def _write(result: Coverage, features: FeatureSet, options: CoverageOptions) -> None:
    if options.csv_file is not None:
        write_new(Path(options.csv_file), coverage_csv(result), force=options.force)
    if options.raw_file is not None:
        write_new(Path(options.raw_file), "".join(measured_lines(result)), force=options.force)
    if options.plot_file is not None:
        from kgprobe.input_coverage.plotting import plot

        plot(result.rows, Path(options.plot_file), force=options.force, features=features.name, size=features.size)
