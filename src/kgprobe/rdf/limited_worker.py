"""The child process of `limited.GraphWorker`, which does work that may have to be ended."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from kgprobe.errors import KgprobeError
from kgprobe.processes.channel import serving_parent
from kgprobe.processes.limits import bound_memory
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import TripleTable

_OF_THE_ENGINE = (SyntaxError, RuntimeError, ValueError)  # from pyoxigraph
_MEMORY_BYTES = 2 << 30  # in addition to the memory of the graph


class _Worker:
    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._passing: set[int] = set()  # objects for one question
        self._table: TripleTable = Graph().table

    def take(self, frame: tuple[Any, ...]) -> tuple[str, Any] | None:
        """The reply to a frame; None if it needs no reply."""
        match frame:
            case ("object", number, asked, is_kept):
                self._objects[number] = asked
                if not is_kept:
                    self._passing.add(number)
            case ("table", table):
                self._table = table
                bound_memory(_MEMORY_BYTES)
            case ("ask", number, what, (spelling, changes)):
                graph = Graph.__new__(Graph)
                graph.__setstate__((self._table, spelling or Spelling(), changes))
                try:
                    return "answer", getattr(self._objects[number], what)(graph)
                except (KgprobeError, *_OF_THE_ENGINE) as error:
                    return "error", error
                finally:
                    if number in self._passing:
                        self._passing.remove(number)
                        del self._objects[number]
        return None


def main(descriptor: int) -> None:
    """Serve one parent."""
    bound_memory(_MEMORY_BYTES)
    worker = _Worker()
    with serving_parent(descriptor) as channel:
        channel.send(pickle.dumps("ready"))
        while True:
            reply = worker.take(pickle.loads(channel.receive()))  # noqa: S301 - the other end is this program
            if reply is not None:
                channel.send(pickle.dumps(reply))


if __name__ == "__main__":
    main(int(sys.argv[1]))
