"""What goes to a worker, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgprobe.config.oracles import Harness
from kgprobe.errors import KgprobeError
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import Triple
from kgprobe.model import Verdict

__all__ = ["Job", "Result", "Running", "SeedGraph", "Task", "task_for"]


@dataclass(frozen=True)
class SeedGraph:
    """A graph that cases are made of, packed: a worker unpacks those that it needs."""

    name: str
    packed: bytes


@dataclass(frozen=True)
class Job:
    """What a worker has to know before its first task."""

    harness: Harness
    seeds: tuple[SeedGraph, ...]


@dataclass(frozen=True)
class Task:
    """A case to run: changes to a seed graph, or all triples of a graph of its own.

    `describe` asks for what came of it beside the verdict. `only` are the systems to run, if not all are needed.
    `announce` asks a worker to say which system it is about to run, for a task that a worker did not survive.
    `is_seed` says that the case is the seed graph itself, to see whether it is worth making mutants of.
    """

    ticket: int
    name: str
    seed: int
    changes: Mapping[KeyTriple, bool] | None = None
    triples: tuple[Triple, ...] = ()
    spelling: Spelling | None = None
    describe: bool = False
    only: tuple[str, ...] = ()
    announce: bool = False
    is_seed: bool = False


@dataclass(frozen=True)
class Running:
    """What a worker says about a task if it is asked to: the system that it runs next."""

    system: str


@dataclass(frozen=True)
class Result:
    """The verdict on a task, and how long the systems ran; or what went wrong that is no system's fault.

    If it was asked for, `outcome` is how the systems ended, and `exact` a digest of all that they said.
    On a seed graph, `verdict` is about each system by itself, and `compared` about how they differ.
    """

    ticket: int
    verdict: Verdict | None
    seconds: float = 0.0
    error: KgprobeError | None = None
    outcome: str = ""
    exact: str = ""
    compared: Verdict | None = None


def task_for(ticket: int, name: str, seed: int, graph: Graph, seed_graph: Graph, *, describe: bool = False) -> Task:
    """The task to run a system on a graph, which is sent as a change of its seed if it is one."""
    if graph.table is seed_graph.table:
        return Task(ticket, name, seed, changes=dict(graph.changed_keys), describe=describe)
    return Task(ticket, name, seed, triples=tuple(graph), spelling=graph.spelling, describe=describe)
