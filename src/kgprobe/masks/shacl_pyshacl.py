"""SHACL validation with pyshacl, as a second opinion: it is slower than shifty, and developed independently."""

from __future__ import annotations

import importlib.util
import json
import sys
import weakref
from contextlib import suppress
from typing import Any

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.masks.mask import OutOfTimeError
from kgprobe.masks.results import Result
from kgprobe.masks.shacl_shifty import ntriples, results_of, turtle
from kgprobe.masks.vocabulary import SH
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import ending

__all__ = ["PyshaclEngine"]

_SECONDS_TO_END = 1.0


class PyshaclEngine:
    """Validates graphs against one shapes graph, in a separate process that lives as long as this object."""

    def __init__(self, shapes: Graph, name: str, seconds: float | None) -> None:
        """`seconds` is the time limit for one graph; OutOfTimeError if it takes longer."""
        if importlib.util.find_spec("pyshacl") is None:
            raise UnavailableError("pyshacl is not installed", hint="pip install 'kgprobe[pyshacl]'")
        self._shapes = shapes
        self._name = name
        self._seconds = seconds
        self._refuse_unsupported()
        self._process: _Process | None = None
        self._table: weakref.ref[TripleTable] | None = None
        # Only validation shows whether the shapes are supported. Supported shapes can be slow even on an empty graph.
        with suppress(OutOfTimeError):
            self.conforms(Graph())

    def conforms(self, graph: Graph) -> bool:
        """Whether the graph has no violations of any severity."""
        return bool(self._validate(graph)["conforms"])

    def results(self, graph: Graph) -> list[Result]:
        """All violations in the graph."""
        answer = self._validate(graph)
        return [] if answer["conforms"] else results_of(answer["report"], self._shapes)

    def _validate(self, graph: Graph) -> dict[str, Any]:
        if self._process is None:
            self._process = _Process()
            self._table = None
            self._ask({"shapes": turtle(self._shapes).decode()})
        if self._table is None or self._table() is not graph.table:
            self._ask({"table": ntriples(Graph.from_table(graph.table)).decode()})
            self._table = weakref.ref(graph.table)
        lines: dict[bool, list[str]] = {True: [], False: []}
        for keys, added in graph.changed_keys.items():
            lines[added].append(f"{graph.triple(keys)} .\n")
        changes = {"added": "".join(lines[True]), "removed": "".join(lines[False])}
        return self._ask(changes, self._seconds)

    def _ask(self, request: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
        assert self._process is not None  # noqa: S101 - started before
        try:
            answer = self._process.ask(request, seconds)
        except BaseException:
            self._process.end()  # the next question starts a new one
            self._process = None
            raise
        if "error" in answer:
            raise InputError(f"pyshacl cannot use these shapes: {answer['error']}", where=Position(self._name))
        return answer

    def _refuse_unsupported(self) -> None:
        if self._shapes.count(None, self._shapes.key(SH.target)):
            raise InputError(
                "pyshacl does not support sh:target", where=Position(self._name), hint="use --shacl-engine shifty"
            )


class _Process:
    """A running `kgprobe.masks.pyshacl_worker`."""

    def __init__(self) -> None:
        try:
            self._child = Child(
                [sys.executable, "-m", "kgprobe.masks.pyshacl_worker", DESCRIPTOR],
                environment={"PYTHONWARNINGS": "ignore"},
                output=Output.DROPPED,
            )
        except OSError as error:
            raise UnavailableError(f"no process can be started for pyshacl: {error.strerror or error}") from None
        # The finalizer also runs when Python exits.
        self.end = weakref.finalize(self, self._child.end)

    def ask(self, request: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        channel = self._child.channel
        try:
            channel.send(json.dumps(request).encode())
            frame = channel.receive_within(seconds)
        except (EOFError, OSError):
            code = self._child.wait(_SECONDS_TO_END)
            how = "closed its files" if code is None else f"ended ({ending(code)})"
            raise UnavailableError(f"the process of pyshacl {how}") from None
        if frame is None:
            raise OutOfTimeError(seconds or 0.0)
        answer: dict[str, Any] = json.loads(frame)
        return answer
