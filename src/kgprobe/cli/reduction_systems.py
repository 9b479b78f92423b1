"""What `kgprobe reduce` runs, and on what."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgprobe.campaign.run import check_systems
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.config.loading import load_profile
from kgprobe.config.places import Places
from kgprobe.config.profile import GraphTable, MaskTable, MutationTable, OracleTable, OutputTable, PinsTable, Profile
from kgprobe.config.system_tables import system_tables
from kgprobe.errors import InputError
from kgprobe.graph.files import Loaded, writable_format
from kgprobe.graph.graph import Graph
from kgprobe.masks.comparison import as_changes
from kgprobe.reasoners.catalogue import entry

__all__ = ["profile_for", "seed_and_graph"]


def profile_for(options: ReduceOptions) -> Profile:
    """What is run, and how it is judged."""
    said = {"seconds": options.seconds, "memory_mb": options.memory_mb}
    limits: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
    if options.profile is not None:
        profile = load_profile(options.profile)
        check_systems(profile)
        return dataclasses.replace(
            profile, systems=tuple(dataclasses.replace(system, **limits) for system in profile.systems)
        )
    tables = _command(options.system, options) if options.system is not None else _reasoners(options)
    return _bare([{**table, **limits} for table in tables])


def _command(text: str, options: ReduceOptions) -> list[dict[str, Any]]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--system cannot be split into words: {error}") from None
    if not words:
        raise InputError("--system names no program")
    format_ = writable_format("-", options.system_format or "turtle")
    return [{"command": words, "format": format_.name}]


def _reasoners(options: ReduceOptions) -> list[dict[str, Any]]:
    names = [name.strip() for name in (options.differential or "").split(",")]
    found = [name if name.casefold() == "auto" else entry(name).name for name in names]
    if len(set(found)) < max(2, len(found)):
        raise InputError("--differential needs two or more different reasoners", hint="see 'kgprobe reasoners'")
    return [{"reasoner": name, "task": options.task or "consistency"} for name in found]


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


def seed_and_graph(
    graph: Graph, profile: Profile, seed_graph: str | None, read: Callable[[str], Loaded]
) -> tuple[Graph, Graph]:
    """The graph that it was made of, and the graph as changes of that one; if that is unknown, twice the graph."""
    if seed_graph is None:
        if profile.oracle.same_as_seed:
            hint = "name it with --seed-graph"
            raise InputError("the oracle of this profile compares with what happens on the seed graph", hint=hint)
        return graph, graph
    changed = as_changes(graph, read(seed_graph).graph)
    return Graph.from_table(changed.table, changed.spelling), changed
