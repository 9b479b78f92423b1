"""Does work on graphs that may take too long, or too much memory, in a process that can be ended.

A query on a graph, or a regular expression in a query, can take far too long, and texts can grow until the memory is
full. Neither pyoxigraph nor shifty can be interrupted. So such work is done in a child process. The child keeps the
table of the last graph and receives only the changes, so that a question costs a round trip instead of a copy of the
graph.
"""

from __future__ import annotations

import itertools
import math
import pickle
import threading
import weakref
from typing import Any, ClassVar

from kgprobe.errors import UnavailableError
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.limits import Limits
from kgprobe.processes.worker import NoReplyError, Worker
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TripleTable

__all__ = ["GraphWorker", "UndecidedError"]

_SETUP = Setup(output=Output.DROPPED)


class UndecidedError(Exception):
    """The reason why there is no result: a limit was passed."""


class GraphWorker:
    """A `kgprobe.rdf.limited_worker` process, started on first use. If it ends, only the current question fails."""

    _shared: ClassVar[GraphWorker | None] = None

    def __init__(self) -> None:
        self.worker = Worker(
            "kgprobe.rdf.limited_worker", what="process", setup=_SETUP, read=pickle.loads, bounds_itself=True
        )
        self._turn = threading.Lock()
        # Numbers are never reused: the child may still know objects that no longer exist here.
        self._numbers = itertools.count()
        self._known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._table: weakref.ref[TripleTable] | None = None

    @classmethod
    def shared(cls) -> GraphWorker:
        """The child of this process. A child inherited through a fork belongs to the parent process."""
        if cls._shared is None or not cls._shared.worker.is_ours:
            cls._shared = cls()
        return cls._shared

    def ask(self, asked: Any, what: str, graph: Graph, seconds: float, *, is_kept: bool = True) -> Any:
        """The result of a method of an object for a graph. The child keeps the object, unless it is for one question.

        UndecidedError if it passes a limit.
        """
        with self._turn:
            try:
                self._start()
                frames = self._frames(asked, what, graph, is_kept=is_kept)
                kind, value = self.worker.ask(*map(pickle.dumps, frames), limits=Limits(seconds, 0))
            except (NoReplyError, UnavailableError) as error:
                raise UndecidedError(str(error)) from None
        if kind == "error":
            raise value
        return value

    def _start(self) -> None:
        if self.worker.start():
            self._known.clear()
            self._table = None
            # Wait until it is ready, so that a slow start does not count for the first question.
            self.worker.ask(limits=Limits(math.inf, 0))

    def _frames(self, asked: Any, what: str, graph: Graph, *, is_kept: bool) -> list[tuple[Any, ...]]:
        frames: list[tuple[Any, ...]] = []
        number = self._known.get(asked) if is_kept else None
        if number is None:
            number = next(self._numbers)
            frames.append(("object", number, asked, is_kept))
            if is_kept:
                self._known[asked] = number
        if self._table is None or self._table() is not graph.table:
            frames.append(("table", graph.table))
            self._table = weakref.ref(graph.table)
        frames.append(("ask", number, what, (None if what == "admits" else graph.spelling, dict(graph.changed_keys))))
        return frames
