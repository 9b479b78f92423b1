"""A check that a graph conforms to SHACL shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from kgprobe.graph.files import load
from kgprobe.graph.graph import Graph
from kgprobe.graph.sparql.stand_ins import rewritten_literals
from kgprobe.graph.terms import Literal, NamedNode
from kgprobe.masks.ask import is_named_in
from kgprobe.masks.incremental import IncrementalValidator
from kgprobe.masks.judge import Judge
from kgprobe.masks.mask import DEFAULT_SECONDS, Cost, OutOfTimeError, Rejection
from kgprobe.masks.results import Result, words
from kgprobe.masks.shacl_pyshacl import PyshaclEngine
from kgprobe.masks.shacl_shifty import ShiftyEngine
from kgprobe.masks.shapes import BeyondLookupsError, read_statements
from kgprobe.masks.shapes_file import check_shapes, has_queries, may_run_away

__all__ = ["DEFAULT_ENGINE", "ENGINES", "ShaclCheck", "read_shapes"]

DEFAULT_ENGINE = "shifty"


class _Engine(Protocol):
    def conforms(self, graph: Graph) -> bool: ...
    def results(self, graph: Graph) -> list[Result]: ...


class _Shifty:
    """shifty, or evaluation by lookups for graphs with changes if the shapes allow it."""

    def __init__(self, shapes: Graph, name: str, seconds: float | None) -> None:
        self._full = ShiftyEngine(shapes, name)
        self._incremental = _incremental(shapes, seconds)

    def conforms(self, graph: Graph) -> bool:
        if self._incremental is None:
            return self._full.conforms(graph)
        return self._incremental.conforms(graph) if self.is_incremental(graph) else self._full.conforms_afresh(graph)

    def results(self, graph: Graph) -> list[Result]:
        if self._incremental is None or not self.is_incremental(graph):
            return self._full.results(graph)
        return self._incremental.results(graph)

    def is_incremental(self, graph: Graph) -> bool:
        """Whether the graph is validated by lookups."""
        # A graph without changes may be the only one of its table, and then recording lookups has no benefit.
        incremental = self._incremental
        return incremental is not None and (bool(graph.changed_keys) or incremental.is_ready_for(graph))


def _incremental(shapes: Graph, seconds: float | None) -> IncrementalValidator | None:
    try:
        return IncrementalValidator(read_statements(shapes), seconds=seconds)
    except BeyondLookupsError:
        return None


ENGINES: dict[str, Callable[[Graph, str, float | None], _Engine]] = {DEFAULT_ENGINE: _Shifty, "pyshacl": PyshaclEngine}


class ShaclCheck:
    """A graph must conform to all shapes of a shapes graph. A result of any severity rejects it.

    Only the graph itself is validated: triples about classes in the shapes graph are not part of the data. A shapes
    graph without triples admits everything.
    """

    cost = Cost.SHAPES

    def __init__(
        self, shapes: Graph, name: str, *, engine: str = DEFAULT_ENGINE, seconds: float | None = DEFAULT_SECONDS
    ) -> None:
        """`name` is the file of the shapes, `engine` one of `ENGINES`, and `seconds` the time limit for a graph.

        Without a limit, all engines except pyshacl run in this process, where they cannot be stopped.
        """
        check_shapes(shapes, name)
        self.name = name
        self.shapes = shapes
        self._engine_name = engine
        self._seconds = seconds
        self._engine = ENGINES[engine](shapes, name, seconds) if len(shapes) else None
        self._names = frozenset(term for term in shapes.terms() if isinstance(term, NamedNode))
        texts = (term.value for term in shapes.terms() if isinstance(term, Literal))
        self._queries = tuple(texts) if has_queries(shapes) else ()
        self._judge: Judge | None = None
        if seconds is not None and engine == DEFAULT_ENGINE and may_run_away(shapes):
            self._judge = Judge(ShaclCheck(shapes, name, seconds=None), seconds)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.shapes, self.name, self._engine_name, self._seconds))

    def admits(self, graph: Graph) -> bool | None:
        if self._judge is not None and not self._is_by_lookups(graph):
            return self._judge.admits(graph)
        try:
            return self._engine is None or self._engine.conforms(graph)
        except OutOfTimeError:
            return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        if self._judge is not None and not self._is_by_lookups(graph):
            return self._judge.rejections(graph)
        try:
            results = [] if self._engine is None else self._engine.results(graph)
        except OutOfTimeError as error:
            return [Rejection(self.name, None, f"undecided: {error}", is_undecided=True)]
        told = [Rejection(self.name, result.focus, words(result, self.shapes, graph.spelling)) for result in results]
        # Results with the same text count once, and the order is the same with every engine.
        return sorted(dict.fromkeys(told), key=lambda rejection: rejection.words)

    def mentions(self, name: NamedNode) -> bool:
        return name in self._names or any(is_named_in(query, name) for query in self._queries)

    def doubt(self, graph: Graph) -> str | None:
        """Why SPARQL in the shapes may give a wrong verdict on this graph (shifty changes some literals), or None."""
        if self._engine_name != DEFAULT_ENGINE or not has_queries(self.shapes):
            return None
        odd = sorted(rewritten_literals(set(graph.columns()[2])), key=str)
        if not odd:
            return None
        example = graph.spelling.term(odd[0])
        return f"SPARQL in these shapes may not see the lexical form of a literal of the graph: {example}"

    def _is_by_lookups(self, graph: Graph) -> bool:
        """Whether our own code validates the graph, which checks the time limit itself."""
        return isinstance(self._engine, _Shifty) and self._engine.is_incremental(graph)


def _rebuild(shapes: Graph, name: str, engine: str, seconds: float | None) -> ShaclCheck:
    return ShaclCheck(shapes, name, engine=engine, seconds=seconds)


def read_shapes(
    path: str | Path, *, engine: str = DEFAULT_ENGINE, seconds: float | None = DEFAULT_SECONDS
) -> ShaclCheck:
    """The check for a file with shapes, in any graph format."""
    loaded = load(path)
    return ShaclCheck(loaded.graph, loaded.name, engine=engine, seconds=seconds)
