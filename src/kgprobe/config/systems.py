"""Systems under test as a profile describes them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from kgprobe.config.profile import ServiceTable, SystemTable
from kgprobe.given_files import read_text
from kgprobe.processes.limits import Limits
from kgprobe.systems.answers import Answering
from kgprobe.systems.command import CommandSystem
from kgprobe.systems.function import FunctionSystem
from kgprobe.systems.http import HttpSystem
from kgprobe.systems.protocol import System
from kgprobe.systems.reasoner import ReasonerSystem
from kgprobe.systems.service import Service
from kgprobe.systems.sparql import SparqlSystem

__all__ = ["open_system"]


def open_system(table: SystemTable, folder: Path, statuses: Collection[int]) -> System:
    """The system that a table is about. Nothing is started; `folder` is the folder of the profile.

    `statuses` are the exit statuses, or those of HTTP, that are right.
    """
    system = _opened(table, folder)
    return system if table.answers is None else Answering(system, table.answers, statuses)


def _opened(table: SystemTable, folder: Path) -> System:
    limits = Limits(table.seconds, table.memory_mb)
    folder = folder.resolve()
    service = None if table.service is None else _service(table, table.service, folder)
    if table.function is not None:
        given: Literal["graph", "file"] = "file" if table.input == "file" else "graph"
        return FunctionSystem(table.name, table.function, limits=limits, input=given, folder=folder)
    if table.reasoner is not None:
        task: Literal["consistency", "hierarchy"] = "hierarchy" if table.task == "hierarchy" else "consistency"
        return ReasonerSystem(table.reasoner, task, limits=limits, name=table.name)
    if table.http is not None:
        return HttpSystem(
            table.name,
            table.http,
            method=table.method,
            graph_format=table.format,
            headers=table.headers,
            limits=limits,
            service=service,
        )
    if table.sparql is not None:
        queries = {path.name: read_text(path) for path in table.queries}
        return SparqlSystem(table.name, table.sparql, queries, store_url=table.store, limits=limits, service=service)
    return CommandSystem(table.name, table.command, limits=limits, graph_format=table.format, folder=folder)


def _service(table: SystemTable, service: ServiceTable, folder: Path) -> Service:
    return Service(
        service.start,
        health=service.health or table.http or table.sparql or "",
        stop=service.stop or None,
        seconds_to_start=service.seconds_to_start,
        folder=folder,
    )
