"""SHACL by pyshacl, as a second opinion: slower than shifty, and written by other people."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import subprocess
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

__all__ = ["PyshaclEngine"]


class PyshaclEngine:
    """Judges graphs by the shapes of one shapes graph. It has a process of its own, which lives as long as it does."""

    def __init__(self, shapes: Graph, name: str, seconds: float | None) -> None:
        """`seconds` is how long judging one graph may take; OutOfTimeError if it takes longer."""
        if importlib.util.find_spec("pyshacl") is None:
            raise UnavailableError("pyshacl is not installed", hint="pip install 'kgprobe[pyshacl]'")
        self._shapes = shapes
        self._name = name
        self._seconds = seconds
        self._refuse_unsupported()
        self._process: _Process | None = None
        self._table: weakref.ref[TripleTable] | None = None
        # Only validation tells whether the shapes can be used. Some that take too long even for nothing can be.
        with suppress(OutOfTimeError):
            self.conforms(Graph())

    def conforms(self, graph: Graph) -> bool:
        """Whether nothing is wrong with the graph, of any severity."""
        return bool(self._validate(graph)["conforms"])

    def results(self, graph: Graph) -> list[Result]:
        """All that is wrong with the graph."""
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
            self._process.end()  # the next question gets a new one
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
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kgprobe.masks.pyshacl_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "ignore"},
        )
        # It ends by itself once nobody can ask it any more; the finalizer also runs when Python exits.
        self.end = weakref.finalize(self, _end, self._process)

    def ask(self, request: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None  # noqa: S101, PT018 - they are pipes
        try:
            requests.write(json.dumps(request | {"seconds": seconds}) + "\n")
            requests.flush()
            # An answer is one line, which is written at once: what has begun to come will come.
            if seconds is not None and not select.select([answers], [], [], seconds)[0]:
                raise OutOfTimeError(seconds)
            line = answers.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise UnavailableError(f"the process of pyshacl ended (with code {self._process.wait()})")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it was not told any more
                pipe.close()
