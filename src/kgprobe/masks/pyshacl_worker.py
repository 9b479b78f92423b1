"""The child process of `PyshaclEngine`, which runs pyshacl.

A separate process is needed because pyshacl changes how rdflib treats literals in the whole process. Requests and
answers are JSON. `shapes` and `table` set the shapes and the data; `added` and `removed` ask for a verdict on the table
with these changes.

Shapes are not trusted. rdflib would call the endpoints of SERVICE and load the graphs of FROM, so this process has no
network: every attempt to connect gets an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import pyoxigraph
import pyshacl
import rdflib
import rdflib.plugins.sparql

from kgprobe.processes.channel import serving_parent
from kgprobe.processes.limits import bound_memory
from kgprobe.rdf.rdflib_graphs import rdflib_term

# Masks that follow lists need more depth than pyshacl's default of 15.
_DEPTH = 200
_MEMORY_BYTES = 2 << 30  # in addition to the memory of the graph


class _Worker:
    def __init__(self) -> None:
        self._shapes: list[tuple[Any, ...]] = []
        self._data = rdflib.Graph()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "shapes" in request:
            self._shapes = list(_triples(request["shapes"]))
            return {}
        if "table" in request:
            self._data = _graph(_triples(request["table"]))
            bound_memory(_MEMORY_BYTES)
            return {}
        added, removed = list(_triples(request["added"])), list(_triples(request["removed"]))
        _change(self._data, removed, added)
        try:
            return self._validate()
        finally:
            _change(self._data, added, removed)

    def _validate(self) -> dict[str, Any]:
        # pyshacl changes the shapes graph that it gets, so it gets a new one each time.
        conforms, report, text = pyshacl.validate(
            self._data, shacl_graph=_graph(self._shapes), inference="none", max_validation_depth=_DEPTH
        )
        if not isinstance(report, rdflib.Graph):
            return {"error": str(text)}
        return {"conforms": conforms, "report": report.serialize(format="nt")}


def _change(graph: rdflib.Graph, removed: list[tuple[Any, ...]], added: list[tuple[Any, ...]]) -> None:
    for triple in removed:
        graph.remove(triple)
    for triple in added:
        graph.add(triple)


def _graph(triples: Iterable[tuple[Any, ...]]) -> rdflib.Graph:
    graph = rdflib.Graph()
    for triple in triples:
        graph.add(triple)
    return graph


def _triples(turtle: str) -> Iterable[tuple[Any, ...]]:
    """Triples with the exact literals and labels of a text, which rdflib's parsers would change."""
    for quad in pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE):
        yield tuple(rdflib_term(term, {}) for term in (quad.subject, quad.predicate, quad.object))


class _NoNetworkError(OSError):
    """The error for every attempt to connect."""


def _without_network(event: str, arguments: tuple[Any, ...]) -> None:  # noqa: ARG001 - the signature of hooks
    if event.startswith(("socket.", "urllib.", "http.client.", "ftplib.", "smtplib.")):
        raise _NoNetworkError("a mask must not use the network")


def main(descriptor: int) -> None:
    """Serve one parent."""
    with serving_parent(descriptor) as channel:
        rdflib.plugins.sparql.SPARQL_LOAD_GRAPHS = False
        sys.addaudithook(_without_network)
        worker = _Worker()
        while True:
            request = json.loads(channel.receive())
            try:
                answer = worker.answer(request)
            except MemoryError:
                raise
            except Exception as error:  # report any error to the other end
                answer = {"error": f"{type(error).__name__}: {error}"}
            channel.send(json.dumps(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
