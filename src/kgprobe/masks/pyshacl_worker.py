"""The other end of `PyshaclEngine`: pyshacl, in a process of its own.

It is there because pyshacl changes how rdflib treats literals in the whole process. A line of JSON comes in, a line of
JSON goes out. `shapes` and `table` set what is to be validated; `added` and `removed` ask for a verdict on the table
with these changes, and `seconds` is how long that may take.

Shapes come from anyone. rdflib would ask the endpoints of SERVICE and load the graphs of FROM, so this process has no
network: whatever wants a connection gets an error.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import pyoxigraph
import pyshacl
import rdflib
import rdflib.plugins.sparql

__all__ = ["main"]

# Masks that follow lists go deeper than pyshacl's default of 15.
_DEPTH = 200
_SLACK = 5.0  # seconds behind the limit, at which whoever asked ends this process


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
            return {}
        added, removed = list(_triples(request["added"])), list(_triples(request["removed"]))
        _change(self._data, removed, added)
        try:
            return self._validate()
        finally:
            _change(self._data, added, removed)

    def _validate(self) -> dict[str, Any]:
        # pyshacl changes the shapes graph that it is given, so it gets a new one each time.
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
    """Triples with the exact literals and labels of a text, which rdflib's own parsers would not keep."""
    for quad in pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE):
        yield _term(quad.subject), _term(quad.predicate), _term(quad.object)


def _term(term: object) -> object:
    match term:
        case pyoxigraph.NamedNode():
            return rdflib.URIRef(term.value)
        case pyoxigraph.BlankNode():
            return rdflib.BNode(term.value)
        case pyoxigraph.Literal(language=None):
            plain = term.datatype.value == str(rdflib.XSD.string)
            datatype = None if plain else rdflib.URIRef(term.datatype.value)
            return rdflib.Literal(term.value, datatype=datatype, normalize=False)
        case pyoxigraph.Literal():
            return rdflib.Literal(term.value, lang=term.language, normalize=False)
    raise TypeError(f"{term} is no term of RDF 1.1")


class _NoNetworkError(OSError):
    """What whoever wants a connection gets."""


def _without_network(event: str, arguments: tuple[Any, ...]) -> None:  # noqa: ARG001 - hooks are called so
    if event.startswith(("socket.", "urllib.", "http.client.", "ftplib.", "smtplib.")):
        raise _NoNetworkError("a mask must not use the network")


def main(requests: TextIO, answers: TextIO) -> None:
    """Answer until there are no more requests."""
    worker = _Worker()
    for line in requests:
        request = json.loads(line)
        seconds = request.pop("seconds")
        # Nobody may be left to end this process, and a regular expression lets no Python code run: the system ends it.
        signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else seconds + _SLACK)
        try:
            answer = worker.answer(request)
        except Exception as error:  # whatever it is, the other end should know
            answer = {"error": f"{type(error).__name__}: {error}"}
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    # What a library prints must not get between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    rdflib.plugins.sparql.SPARQL_LOAD_GRAPHS = False
    sys.addaudithook(_without_network)
    main(sys.stdin, answers)
