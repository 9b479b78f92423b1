"""SHACL shapes as a check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from kgprobe.graph.files import load
from kgprobe.graph.graph import Graph
from kgprobe.masks.incremental import IncrementalValidator
from kgprobe.masks.mask import Cost, Rejection
from kgprobe.masks.results import Result, words
from kgprobe.masks.shacl_pyshacl import PyshaclEngine
from kgprobe.masks.shacl_shifty import ShiftyEngine
from kgprobe.masks.shapes import BeyondLookupsError, read_statements
from kgprobe.masks.shapes_file import check_shapes

__all__ = ["DEFAULT_ENGINE", "ENGINES", "ShaclCheck", "read_shapes"]

DEFAULT_ENGINE = "shifty"


class _Engine(Protocol):
    def conforms(self, graph: Graph) -> bool: ...
    def results(self, graph: Graph) -> list[Result]: ...


class _Shifty:
    """shifty, and evaluation by lookups for graphs with changes where the shapes allow it."""

    def __init__(self, shapes: Graph, name: str) -> None:
        self._full = ShiftyEngine(shapes, name)
        self._incremental = _incremental(shapes)

    def conforms(self, graph: Graph) -> bool:
        if self._incremental is None:
            return self._full.conforms(graph)
        return self._incremental.conforms(graph) if self._pays_off(graph) else self._full.conforms_afresh(graph)

    def results(self, graph: Graph) -> list[Result]:
        if self._incremental is None or not self._pays_off(graph):
            return self._full.results(graph)
        return self._incremental.results(graph)

    def _pays_off(self, graph: Graph) -> bool:
        # A graph without changes may be the only one of its table, and then nothing is gained by noting lookups.
        assert self._incremental is not None  # noqa: S101 - asked before
        return bool(graph.changed_keys) or self._incremental.is_ready_for(graph)


def _incremental(shapes: Graph) -> IncrementalValidator | None:
    try:
        return IncrementalValidator(read_statements(shapes))
    except BeyondLookupsError:
        return None


ENGINES: dict[str, Callable[[Graph, str], _Engine]] = {DEFAULT_ENGINE: _Shifty, "pyshacl": PyshaclEngine}


class ShaclCheck:
    """A graph must conform to all shapes of a shapes graph; a result of any severity rejects it.

    Only the graph itself is validated: what the shapes graph says about classes is no part of it. A shapes graph
    without triples admits everything.
    """

    cost = Cost.SHAPES

    def __init__(self, shapes: Graph, name: str, *, engine: str = DEFAULT_ENGINE) -> None:
        """`name` is the file of the shapes, and `engine` one of `ENGINES`."""
        check_shapes(shapes, name)
        self.name = name
        self.shapes = shapes
        self._engine_name = engine
        self._engine = ENGINES[engine](shapes, name) if len(shapes) else None

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.shapes, self.name, self._engine_name))

    def admits(self, graph: Graph) -> bool:
        return self._engine is None or self._engine.conforms(graph)

    def rejections(self, graph: Graph) -> list[Rejection]:
        results = [] if self._engine is None else self._engine.results(graph)
        told = [Rejection(self.name, result.focus, words(result, self.shapes, graph.spelling)) for result in results]
        # Two results that a person cannot tell apart are one, and the order is the same with every engine.
        return sorted(dict.fromkeys(told), key=lambda rejection: rejection.words)


def _rebuild(shapes: Graph, name: str, engine: str) -> ShaclCheck:
    return ShaclCheck(shapes, name, engine=engine)


def read_shapes(path: str | Path, *, engine: str = DEFAULT_ENGINE) -> ShaclCheck:
    """The check that a file with shapes stands for, in any format that holds a graph."""
    loaded = load(path)
    return ShaclCheck(loaded.graph, loaded.name, engine=engine)
