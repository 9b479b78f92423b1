"""`kgprobe reduce`: a failing graph made small, and the failure kept."""

from __future__ import annotations

import dataclasses
import os
import pickle
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.task import Job, Resource
from kgprobe.cli.options import Reading, print_json, reads_graphs, writes_graphs
from kgprobe.cli.progress import reducing_progress
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.cli.reduction_session import SEED, Session, failure_to_keep
from kgprobe.cli.reduction_systems import Asked, asked_by, seed_and_graph
from kgprobe.cli.reduction_target import Target
from kgprobe.config.preparation import NO_LIMITS, Limits, as_seed
from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.graph.files import Loaded
from kgprobe.graph.graph import Graph
from kgprobe.reduction.reducer import ALGORITHMS
from kgprobe.report.reduction import Reduced
from kgprobe.systems.reasoner import TASKS

_EXAMPLES = """\b
Examples:
  kgprobe reduce onto.owl --system 'java -jar tool.jar {graph}'         keeps how the command ends
  kgprobe reduce onto.owl --system 'tool -i {graph}' --exact            and all that it prints
  kgprobe reduce onto.owl --differential openllet,hermit,elk --task hierarchy
  kgprobe reduce mutant-0017.ttl --profile profile.toml --seed-graph robot.ttl
  kgprobe reduce onto.owl --system 'tool {graph}' --repeats 30          a failure that comes and goes
  kgprobe reduce onto.owl --system 'tool {graph}' --json                numbers for a machine
"""


@click.command("reduce", epilog=_EXAMPLES)
@click.argument("graph", metavar="GRAPH")
@reads_graphs
@click.option("--system", metavar="COMMAND", help="Keep how this command ends; {graph} is a file, else standard input.")
@click.option("--differential", metavar="NAMES", help="Keep what these reasoners disagree about: openllet,hermit,elk")
@click.option("--profile", metavar="PROFILE", help="Keep a failure of the systems and the oracle of this profile.")
@click.option("--task", type=click.Choice(list(TASKS)), help="What reasoners are asked.  [consistency]")
@click.option("--signature", metavar="PATTERN", help="Which failure to keep, if there are several; * is any text.")
@click.option("--exact", is_flag=True, help="Keep all that the systems print, not only the way in which they fail.")
@click.option("--outside-mask", is_flag=True, help="Leave the mask and the pins of the profile out of account.")
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="axioms", help="halving is the paper's.  [axioms]")
@click.option("--seed", type=int, default=0, metavar="N", help="Where chance begins, for halving.  [0]")
@click.option("--seed-graph", metavar="FILE", help="The graph that it was made of: what was changed is undone first.")
@click.option("--no-simplify", is_flag=True, help="Keep names and literals as they are.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    metavar="N",
    help="Runs of GRAPH at first, and of the result at last, to see how often each fails.  [10]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.99,
    metavar="P",
    help="How sure to be that the result fails as often as GRAPH.  [0.99]",
)
@click.option("--most-runs", type=click.IntRange(1), metavar="N", help="Stop after so many runs.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), metavar="N", help="Time for each run.  [60]")
@click.option("--memory-mb", type=click.IntRange(1), metavar="N", help="Memory for each run.  [2048]")
@click.option("--system-format", metavar="FORMAT", help="The format that the command gets.  [turtle]")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Runs at the same time.  [processors]")
@click.option("--out", metavar="FILE", help="The file to write to.  [GRAPH with .reduced.ttl]")
@writes_graphs("written_as", "The format of that file.  [by its name, else turtle]")
@click.option("--force", is_flag=True, help="Replace that file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(graph: str, reading: Reading, as_json: bool, **given: Any) -> int:
    """Make GRAPH as small as can be while a system still fails on it in the same way, and as often.

    Axioms are left out, then expressions, names and literals get simple. With a profile, the result is admissible by
    its mask, and keeps what is pinned. The best so far is always in the file: Ctrl-C loses nothing.
    """
    options = ReduceOptions(**given)
    loaded = reading.read(graph)
    asked = asked_by(options)
    target = Target(loaded.name, options)
    as_it_looks = dataclasses.replace(reading, format_name=None, base=None)
    seed, whole = seed_and_graph(loaded.graph, asked.harness, options.seed_graph, as_it_looks.read)
    limits = _limits(dataclasses.replace(loaded, graph=seed), whole, asked, options)
    job = Job(asked.harness, (Resource(SEED, pickle.dumps(seed)),))
    workers = options.workers or asked.workers or os.cpu_count() or 1
    try:
        with (
            limits as admissible,
            closing(LocalWorkers(job, workers)) as executor,
            reducing_progress(Path(loaded.name).name) as on_progress,
        ):
            session = Session(executor, asked.harness, seed, whole, options, on_progress)
            kept = failure_to_keep(session.looked, asked.known, loaded.name, options)
            reduction = session.reduce(kept, admissible, target)
    except (KeyboardInterrupt, KgprobeError):
        target.tell()
        raise
    reduced = Reduced(
        graph=loaded.name,
        reduction=reduction,
        kept=kept,
        written=target.path,
        algorithm=options.algorithm,
        shown=session.shown_by(reduction.graph),
        is_limited=admissible != NO_LIMITS,
    )
    if as_json:
        print_json(reduced.value())
    else:
        for line in reduced.lines():
            click.echo(line)
    return 0


@contextmanager
def _limits(seed: Loaded, whole: Graph, asked: Asked, options: ReduceOptions) -> Iterator[Limits]:
    """What all parts of the graph must keep to. InputError if the graph itself does not."""
    if asked.inputs is None or options.outside_mask:
        yield NO_LIMITS
        return
    with as_seed(seed, asked.inputs) as bounded:
        limits = Limits.of(bounded)
        objection = limits.objection(whole)
        if objection is not None:
            hint = "--outside-mask reduces it all the same"
            raise InputError(f"is not admissible: {objection}", where=Position(seed.name), hint=hint)
        yield limits
