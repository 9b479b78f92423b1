"""The data of a test: triples, and the named graph that each of them is in, if any.

A triple in the default graph is a `Triple`, as for most queries. One in a named graph is a `Quad`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse, serialize

from kgprobe.errors import InputError, Position
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import read_graph, render
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["Data", "Datum", "GraphName", "by_graph", "graph_of", "placed", "read_data", "triple_of", "written"]

Datum: TypeAlias = Triple | Quad
Data: TypeAlias = tuple[Datum, ...]
GraphName: TypeAlias = NamedNode | BlankNode


def graph_of(datum: Datum) -> GraphName | None:
    """The named graph of a triple; None for the default graph."""
    return datum.graph_name if isinstance(datum, Quad) else None  # type: ignore[return-value]  # no default graph here


def placed(subject: Term | Triple, predicate: Term, object_: Term | Triple, graph: Term | None) -> Datum:
    """A triple in a graph."""
    if graph is None:
        return Triple(subject, predicate, object_)  # type: ignore[arg-type]
    return Quad(subject, predicate, object_, graph)  # type: ignore[arg-type]


def triple_of(datum: Datum) -> Triple:
    """The triple, wherever it is."""
    return datum.triple if isinstance(datum, Quad) else datum


def by_graph(data: Iterable[Datum]) -> dict[GraphName | None, list[Triple]]:
    """The triples of each graph."""
    found: dict[GraphName | None, list[Triple]] = {}
    for datum in data:
        found.setdefault(graph_of(datum), []).append(triple_of(datum))
    return found


# -- text --------------------------------------------------------------------------------------------------------------


def written(data: Iterable[Datum], prefixes: dict[str, str]) -> str:
    """Data in Turtle, or in TriG if some of them are in a named graph, with the prefixes that they use."""
    ordered = sorted(data, key=str)
    names = {name.value for datum in ordered for name in _names(datum)}
    used = {prefix: iri for prefix, iri in prefixes.items() if iri and any(name.startswith(iri) for name in names)}
    by_iri = {iri: prefix for prefix, iri in sorted(used.items(), reverse=True) if prefix} | {
        iri: "" for prefix, iri in used.items() if not prefix and iri not in [i for p, i in used.items() if p]
    }
    known = {prefix: iri for iri, prefix in by_iri.items()}
    text = _rendered(ordered, known)
    # Turtle has short forms for `rdf:type` and for some literals, which need no prefix.
    needed = {prefix: iri for prefix, iri in known.items() if f"{prefix}:" in text.replace(f"@prefix {prefix}:", "")}
    return text if needed == known else _rendered(ordered, needed)


def _rendered(ordered: Sequence[Datum], known: dict[str, str]) -> str:
    triples = [datum for datum in ordered if isinstance(datum, Triple)]
    if len(triples) == len(ordered):
        return render(Graph(triples, spelling=Spelling(known)), by_name("turtle")).text.decode()
    quads = sorted((_as_quad(datum) for datum in ordered), key=lambda quad: (str(quad.graph_name), str(quad.triple)))
    text = serialize(quads, format=RdfFormat.TRIG, prefixes=known)
    assert text is not None  # noqa: S101 - serialize returns None only if it writes to a stream
    return text.decode()


def _as_quad(datum: Datum) -> Quad:
    return datum if isinstance(datum, Quad) else Quad(datum.subject, datum.predicate, datum.object)


def _names(datum: Datum) -> Iterable[NamedNode]:
    for term in (datum.subject, datum.predicate, datum.object, graph_of(datum)):
        if isinstance(term, NamedNode):
            yield term
        elif isinstance(term, Literal):
            yield term.datatype


def read_data(text: str, name: str = "<data>") -> Data:
    """Data from Turtle or TriG. InputError with the position of a mistake."""
    try:
        quads: Sequence[Quad] = list(parse(text, format=RdfFormat.TRIG))
    except SyntaxError as error:
        raise InputError(error.msg, where=Position(name, error.lineno, error.offset)) from None
    if all(isinstance(quad.graph_name, DefaultGraph) for quad in quads):
        return tuple(read_graph(text.encode()))
    found = dict.fromkeys(quad.triple if isinstance(quad.graph_name, DefaultGraph) else quad for quad in quads)
    if any(isinstance(part, Triple) for datum in found for part in (datum.subject, datum.object)):
        raise InputError("has triples about triples, which kgprobe does not read", where=Position(name))
    return tuple(found)
