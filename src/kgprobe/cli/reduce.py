"""`kgprobe reduce`: a failing graph made small, and the failure kept."""

from __future__ import annotations

import dataclasses
import os
import pickle
import shlex
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import click

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.outcome import Kept, Sameness, kept_in, kept_success
from kgprobe.campaign.reducing import hints_in, results_of
from kgprobe.campaign.run import check_systems
from kgprobe.campaign.task import Job, Result, SeedGraph, task_for
from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json, reads_graph
from kgprobe.cli.progress import reducing_progress
from kgprobe.config.loading import load_profile
from kgprobe.config.oracles import known_in
from kgprobe.config.places import Places
from kgprobe.config.profile import GraphTable, MaskTable, MutationTable, OracleTable, OutputTable, PinsTable, Profile
from kgprobe.config.system_tables import system_tables
from kgprobe.config.writing import check_new
from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.graph.catalogs import read_catalog
from kgprobe.graph.files import Loaded, load, render, save, writable_format
from kgprobe.graph.formats.catalogue import by_extension
from kgprobe.graph.graph import Graph
from kgprobe.graph.imports import Library, with_imports
from kgprobe.masks.comparison import as_changes
from kgprobe.model import Failure, Status
from kgprobe.oracles.known import KnownBugs
from kgprobe.reasoners.catalogue import entry
from kgprobe.reduction.problem import OnStep
from kgprobe.reduction.reducer import ALGORITHMS, Reduction, reduce
from kgprobe.systems.reasoner import TASKS

_EXAMPLES = """\b
Examples:
  kgprobe reduce onto.owl --system 'java -jar tool.jar {graph}'         keeps how the command ends
  kgprobe reduce onto.owl --system 'tool -i {graph}' --exact            and all that it prints
  kgprobe reduce onto.owl --differential openllet,hermit,elk --task hierarchy
  kgprobe reduce mutant-0017.ttl --profile profile.toml --seed-graph robot.ttl
  kgprobe reduce onto.owl --system 'tool {graph}' --repeats 20          a failure that comes and goes
  kgprobe reduce onto.owl --system 'tool {graph}' --json                numbers for a machine
"""
_WAYS = ("system", "differential", "profile")
# What means something for one way only.
_ONLY_WITH = {"task": "differential", "system_format": "system"}
_FOR_ALL_GRAPHS = {"turtle", "ttl", "ntriples", "nt", "nquads", "nq", "trig"}
_ABOUT_THE_END = {*map(str, Status), "exit status"}


@click.command("reduce", epilog=_EXAMPLES)
@reads_graph("graph")
@click.option("--system", metavar="COMMAND", help="Keep how this command ends; {graph} is a file, else standard input.")
@click.option("--differential", metavar="NAMES", help="Keep what these reasoners disagree about: openllet,hermit,elk")
@click.option("--profile", metavar="PROFILE", help="Keep a failure of the systems and the oracle of this profile.")
@click.option("--task", type=click.Choice(list(TASKS)), help="What reasoners are asked.  [consistency]")
@click.option("--signature", metavar="PATTERN", help="Which failure to keep, if there are several; * is any text.")
@click.option("--exact", is_flag=True, help="Keep all that the systems say, not only what kind of failure it is.")
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="axioms", help="halving is the paper's.  [axioms]")
@click.option("--seed", type=int, default=0, metavar="N", help="Where chance begins, for halving.  [0]")
@click.option("--seed-graph", metavar="FILE", help="The graph that it was made of: what was changed is undone first.")
@click.option("--no-simplify", is_flag=True, help="Keep names and literals as they are.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Runs of GRAPH at first, if it fails now and then.  [1]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.99,
    metavar="P",
    help="How sure to be that a part never fails, if GRAPH fails now and then.  [0.99]",
)
@click.option("--most-runs", type=click.IntRange(1), metavar="N", help="Stop after so many runs.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), metavar="N", help="Time for each run.  [60]")
@click.option("--memory-mb", type=click.IntRange(1), metavar="N", help="Memory for each run.  [2048]")
@click.option("--system-format", metavar="FORMAT", help="The format that the command gets.  [turtle]")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Runs at the same time.  [processors]")
@click.option("--out", metavar="FILE", help="The file to write to.  [GRAPH with .reduced.ttl]")
@click.option("--force", is_flag=True, help="Replace that file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(loaded: Loaded, as_json: bool, **given: Any) -> int:
    """Make GRAPH as small as can be while a system still fails on it in the same way.

    Axioms are left out, then expressions, names and literals get simple. The best so far is always in the file: Ctrl-C
    loses nothing.
    """
    profile = _profile(given)
    target = _Target(loaded.name, given)
    seed, graph = _seed_and_graph(loaded.graph, profile, given)
    job = Job(profile, (SeedGraph(given["seed_graph"] or loaded.name, pickle.dumps(seed)),))
    workers = given["workers"] or profile.campaign.workers or os.cpu_count() or 1
    try:
        with closing(LocalWorkers(job, workers)) as executor, reducing_progress(Path(loaded.name).name) as on_step:
            session = _Session(executor, profile, seed, graph, given, on_step)
            kept = _kept(session.looked, profile, loaded.name, given)
            reduction = session.reduce(kept, target)
    except (KeyboardInterrupt, KgprobeError):
        target.tell()
        raise
    if as_json:
        print_json(_as_json(reduction, kept, target, loaded.name, given))
    else:
        _print(reduction, kept, target, loaded.name, given)
    return 0


class _Session:
    """Runs of one graph and of parts of it."""

    def __init__(
        self,
        executor: LocalWorkers,
        profile: Profile,
        seed: Graph,
        graph: Graph,
        given: dict[str, Any],
        on_step: OnStep,
    ) -> None:
        self._executor = executor
        self._seed = seed
        self._graph = graph
        self._given = given
        self._on_step = on_step
        self._batch = max(1, executor.capacity // 2)
        self._formats = {system.format for system in profile.systems} - _FOR_ALL_GRAPHS
        self._tickets = count()
        self.looked: list[Result] = []
        while (left := given["repeats"] - len(self.looked)) > 0:
            self.looked += self._run([graph] * min(left, self._batch))
            on_step("checking", len(graph), len(self.looked))

    def reduce(self, kept: Kept, target: _Target) -> Reduction:
        """Make the graph small."""
        # The runs that told what to keep are the ones that a reduction begins with: nothing is run twice.
        first = iter(self.looked)

        def still_fails(graphs: Sequence[Graph]) -> list[bool]:
            known = [result for _, result in zip(graphs, first, strict=False)] if graphs[0] is self._graph else []
            if known:
                return list(map(kept.is_in, known))
            sayable = list(map(self._can_be_said, graphs))
            results = iter(self._run([graph for graph, is_sayable in zip(graphs, sayable, strict=True) if is_sayable]))
            return [is_sayable and kept.is_in(next(results)) for is_sayable in sayable]

        return reduce(
            self._graph,
            still_fails,
            algorithm=self._given["algorithm"],
            seed=self._seed if self._given["seed_graph"] else None,
            hints=hints_in(kept.words, self._graph),
            on_better=target.write,
            on_step=self._on_step,
            repeats=self._given["repeats"],
            confidence=self._given["confidence"],
            simplify=not self._given["no_simplify"],
            most_runs=self._given["most_runs"],
            batch=self._batch,
            random=Random(self._given["seed"]),
        )

    def _run(self, graphs: Sequence[Graph]) -> list[Result]:
        describe = _sameness(self._given) is not Sameness.SIGNATURE
        tasks = [task_for(next(self._tickets), "graph", 0, graph, self._seed, describe=describe) for graph in graphs]
        return results_of(tasks, self._executor)

    def _can_be_said(self, graph: Graph) -> bool:
        """Whether the systems can be given this graph: a part of an ontology need not be one."""
        try:
            for name in self._formats:
                render(graph, writable_format("-", name))
        except InputError:
            return False
        return True


class _Target:
    """The file with the best graph so far."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        self.path = _out(name, given["out"])
        self._triples: int | None = None
        check_new(self.path, force=given["force"])
        for other in (name, given["seed_graph"], given["profile"]):
            if other and self.path.exists() and Path(other).exists() and self.path.samefile(other):
                raise InputError("is needed, and must not be replaced", where=Position(str(self.path)))
        if not self.path.parent.is_dir() or not os.access(self.path.parent, os.W_OK):
            where = Position(str(self.path))
            raise InputError("cannot be written: there is no such folder, or it is protected", where=where)
        self._format = "turtle" if by_extension(self.path.name) is None else writable_format(self.path.name).name
        if self._format == "functional":
            # A part of a graph need not be an ontology.
            raise InputError(
                "functional syntax cannot say every graph", where=Position(str(self.path)), hint="use .ttl"
            )

    def write(self, graph: Graph) -> None:
        """Replace the file."""
        save(graph, self.path, format_name=self._format)
        self._triples = len(graph)

    def tell(self) -> None:
        """Say where the best so far is, to somebody who does not get more."""
        if self._triples is not None:
            tell("note", f"the best so far, {_number(self._triples, 'triple')}, is in {self.path}")


def _out(name: str, out: str | None) -> Path:
    if out == "" or out == "-":
        raise InputError("--out names no file", hint="the best so far is kept there all the time")
    if out is not None:
        return Path(out)
    if name == "<stdin>":
        raise InputError("a graph from standard input has no name to write to", hint="name a file with --out")
    path = Path(name.removesuffix(".gz"))
    return path.with_name(f"{path.stem}.reduced.ttl")


# -- what to run -------------------------------------------------------------------------------------------------------


def _profile(given: dict[str, Any]) -> Profile:
    """What is run, and how it is judged."""
    ways = [way for way in _WAYS if given[way] is not None]
    if len(ways) != 1:
        named = f"not both --{ways[0]} and --{ways[1]}" if ways else "and none is given"
        raise InputError(f"what fails is told by one of --system, --differential and --profile, {named}")
    for option, way in _ONLY_WITH.items():
        if given[option] is not None and ways != [way]:
            raise InputError(f"--{option.replace('_', '-')} is for --{way} only")
    if given["most_runs"] is not None and given["most_runs"] < given["repeats"]:
        raise InputError(f"{given['repeats']} repeats are more than {given['most_runs']} runs")
    limits = {key: given[key] for key in ("seconds", "memory_mb") if given[key] is not None}
    if given["profile"] is not None:
        profile = load_profile(given["profile"])
        check_systems(profile)
        return dataclasses.replace(
            profile, systems=tuple(dataclasses.replace(system, **limits) for system in profile.systems)
        )
    return _bare([{**table, **limits} for table in (_reasoners(given) if given["differential"] else _command(given))])


def _command(given: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        words = shlex.split(given["system"])
    except ValueError as error:
        raise InputError(f"--system cannot be split into words: {error}") from None
    if not words:
        raise InputError("--system names no program")
    format_ = writable_format("-", given["system_format"] or "turtle")
    return [{"command": words, "format": format_.name}]


def _reasoners(given: dict[str, Any]) -> list[dict[str, Any]]:
    names = [name.strip() for name in given["differential"].split(",")]
    found = [name if name.casefold() == "auto" else entry(name).name for name in names]
    if len(set(found)) < max(2, len(found)):
        raise InputError("--differential needs two or more different reasoners", hint="see 'kgprobe reasoners'")
    return [{"reasoner": name, "task": given["task"] or "consistency"} for name in found]


def _bare(tables: list[dict[str, Any]]) -> Profile:
    """A profile for systems without one."""
    return Profile(
        path=Path("command line"),
        graph=GraphTable(seeds=()),
        mutation=MutationTable(),
        mask=MaskTable(),
        pins=PinsTable(),
        output=OutputTable(folder=Path()),
        systems=system_tables({"systems": tables}, Path()),
        oracle=OracleTable(exit=(0,)),
        places=Places("command line"),
    )


def _seed_and_graph(graph: Graph, profile: Profile, given: dict[str, Any]) -> tuple[Graph, Graph]:
    """The graph that it was made of, and the graph as changes of that one; if that is unknown, twice the graph."""
    if given["seed_graph"] is None:
        if profile.oracle.same_as_seed:
            hint = "name it with --seed-graph"
            raise InputError("the oracle of this profile compares with what happens on the seed graph", hint=hint)
        return graph, graph
    asked = click.get_current_context().params
    library = Library([read_catalog(catalog) for catalog in asked["catalogs"]], asked["folders"])
    seed = with_imports(load(given["seed_graph"]), library, strict=asked["strict_imports"]).graph
    changed = as_changes(graph, seed)
    return Graph.from_table(changed.table, changed.spelling), changed


# -- what to keep ------------------------------------------------------------------------------------------------------


def _kept(results: Sequence[Result], profile: Profile, name: str, given: dict[str, Any]) -> Kept:
    """The failure that a smaller graph must still have. InputError if there is none."""
    found = kept_in(results, _sameness(given), _rank(profile, given))
    if found is not None:
        return found
    if given["system"] and given["exact"] and given["signature"] is None:
        return kept_success(results)
    verdicts = [result.verdict for result in results if result.verdict is not None]
    signatures = dict.fromkeys(failure.signature for verdict in verdicts for failure in verdict.failures)
    where = Position(name)
    if signatures:
        hint = f"there is {'; '.join(signatures)}"
        raise InputError(f"no failure fits the signature '{given['signature']}'", where=where, hint=hint)
    if given["system"]:
        hint = "--exact keeps what it prints, too"
        raise InputError("the command succeeds on this graph: there is nothing to reduce", where=where, hint=hint)
    why = next((verdict.why for verdict in verdicts if verdict.why), None)
    what = "the reasoners do not disagree about" if given["differential"] else "no system fails on"
    raise InputError(f"{what} this graph: there is nothing to reduce", where=where, hint=why)


def _sameness(given: dict[str, Any]) -> Sameness:
    return Sameness.EXACT if given["exact"] else Sameness.ENDING if given["system"] else Sameness.SIGNATURE


def _rank(profile: Profile, given: dict[str, Any]) -> Callable[[Failure], int | None]:
    """Which failures come first: those that are new, and disagreements before crashes."""
    known = known_in(profile)
    wanted = KnownBugs([("*" if given["signature"] is None else given["signature"], "")])

    def rank(failure: Failure) -> int | None:
        if wanted.note_for(failure.signature) is None:
            return None
        if given["differential"]:
            return int(failure.kind in _ABOUT_THE_END)
        return int(known.note_for(failure.signature) is not None)

    return rank


# -- what came of it ---------------------------------------------------------------------------------------------------


def _print(reduction: Reduction, kept: Kept, target: _Target, name: str, given: dict[str, Any]) -> None:
    before, after = _number(reduction.triples_before, "triple"), _number(reduction.triples_after, "triple")
    axioms, runs = _number(reduction.axioms_after, "axiom"), _number(reduction.system_runs, "run")
    click.echo(f"{Path(name).name}: {before} → {after}, {axioms}, in {runs}{_how_small(reduction, given)}")
    click.echo(f"  keeps        {kept.text}")
    for signature in kept.others:
        click.echo(f"  not kept     {signature}")
    if reduction.changes is not None:
        changed = len(reduction.changes.removed) + len(reduction.changes.added)
        click.echo(f"  mutations    {_number(changed, 'changed triple')} of the seed graph {_are(changed)} needed")
    if given["repeats"] > 1:
        click.echo(f"  fails        {_how_often(reduction, given)}")
    click.echo(f"  written to   {target.path}")


def _how_small(reduction: Reduction, given: dict[str, Any]) -> str:
    if reduction.is_minimal:
        return ": no axiom and no triple can be left out"
    return "" if given["algorithm"] == "halving" else ", when the runs were used up"


def _how_often(reduction: Reduction, given: dict[str, Any]) -> str:
    failed = f"in {round(reduction.rate * given['repeats'])} of {given['repeats']} first runs"
    if reduction.rate == 1:
        return failed
    return f"{failed}; that a part does not fail is said with a confidence of {reduction.confidence:g}"


def _as_json(reduction: Reduction, kept: Kept, target: _Target, name: str, given: dict[str, Any]) -> dict[str, object]:
    changes = reduction.changes
    return {
        "graph": name,
        "written": str(target.path),
        "algorithm": given["algorithm"],
        "keeps": kept.text,
        "not_kept": list(kept.others),
        "system_runs": reduction.system_runs,
        "triples_before": reduction.triples_before,
        "triples_after": reduction.triples_after,
        "axioms_after": reduction.axioms_after,
        "changes": None if changes is None else len(changes.removed) + len(changes.added),
        "is_minimal": reduction.is_minimal,
        "rate": reduction.rate,
        "confidence": reduction.confidence,
    }


def _number(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
