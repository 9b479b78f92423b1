"""The systems that `kgprobe reduce` runs, and the graphs that it runs them on."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kgprobe.campaign.run import check_systems
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.config.loading import load_profile
from kgprobe.config.oracles import Harness, KnownBug, OracleTable
from kgprobe.config.profile import Inputs
from kgprobe.config.systems import CommandTable, GraphSent, ReasonerTable
from kgprobe.errors import InputError
from kgprobe.graph.files import Loaded, writable_format
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.catalogue import entry

__all__ = ["Asked", "asked_by", "seed_and_graph"]


@dataclass(frozen=True)
class Asked:
    """What is run and how it is judged; from a profile also which graphs are admissible, and which bugs are known."""

    harness: Harness
    inputs: Inputs | None = None
    known: tuple[KnownBug, ...] = ()
    workers: int | None = None


def asked_by(options: ReduceOptions) -> Asked:
    """The systems and the oracle that the options name."""
    said = {"seconds": options.seconds, "memory_mb": options.memory_mb}
    limits: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
    if options.profile is not None:
        profile = load_profile(options.profile)
        check_systems(profile)
        systems = tuple(dataclasses.replace(system, **limits) for system in profile.systems)
        harness = dataclasses.replace(profile.harness, systems=systems)
        return Asked(harness, profile.inputs, profile.known, profile.campaign.workers)
    oracle = OracleTable(exit=(0,))
    if options.system is not None:
        return Asked(Harness((_command(options.system, options.system_format, limits),), oracle))
    names = _reasoners(options.differential or "")
    task = options.task or "consistency"
    return Asked(Harness(tuple(ReasonerTable(reasoner=name, task=task, **limits) for name in names), oracle))


def _command(text: str, format_name: str | None, limits: dict[str, Any]) -> CommandTable:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--system cannot be split into words: {error}") from None
    if not words:
        raise InputError("--system names no program")
    sends = GraphSent(writable_format("-", format_name or "turtle").name)
    return CommandTable(command=tuple(words), sends=sends, **limits)


def _reasoners(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    found = [name if name.casefold() == "auto" else entry(name).name for name in names]
    if len(set(found)) < max(2, len(found)):
        raise InputError("--differential needs two or more different reasoners", hint="see 'kgprobe reasoners'")
    return found


def seed_and_graph(
    graph: Graph, harness: Harness, seed_graph: str | None, read: Callable[[str], Loaded]
) -> tuple[Graph, Graph]:
    """The graph that it was made of, and the graph as changes of that one; if that is unknown, twice the graph."""
    if seed_graph is None:
        if harness.oracle.same_as_seed:
            hint = "name it with --seed-graph"
            raise InputError("the oracle of this profile compares with what happens on the seed graph", hint=hint)
        return graph, graph
    from kgprobe.graph.diff import aligned  # it needs numpy

    changed = aligned(read(seed_graph).graph, graph, whole_components=True).new
    return Graph.from_table(changed.table, changed.spelling), changed
