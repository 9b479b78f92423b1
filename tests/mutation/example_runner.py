"""Whether an operator does what its example says.

An example is two graphs in Turtle. It may use the prefixes below and those of the operator. What comes out of the
operator must be the second graph, with three liberties:

- Blank nodes are compared up to their names.
- So are IRIs that were made up. In the example they are those in `new:`.
- `"*"^^D` in the second graph stands for any literal of the datatype D.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

import pyoxigraph

from kgprobe.graph.canonical import isomorphic
from kgprobe.graph.fresh import NAMESPACE, FreshNames
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.mutation.operator import Change, Operator, Site
from kgprobe.mutation.pins import NOTHING, Pins
from kgprobe.mutation.update import UpdateOperator

__all__ = ["EX", "fits", "graph_of", "outcomes", "prefixes_of"]

EX = "https://kgprobe.example/#"
_PREFIXES = {
    "": EX,
    "new": NAMESPACE,
    "owl": OWL.iri,
    "rdf": RDF.iri,
    "rdfs": RDFS.iri,
    "xsd": XSD.iri,
}
# How `FreshNames` ends a name, in whichever namespace.
_MADE_UP = re.compile(r"n[0-9a-f]{8}-\d+$")


def graph_of(turtle: str, prefixes: dict[str, str] | None = None) -> Graph:
    """The graph that this Turtle says."""
    header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in (_PREFIXES | (prefixes or {})).items())
    quads = pyoxigraph.parse((header + turtle).encode(), pyoxigraph.RdfFormat.TURTLE)
    return Graph(Triple(quad.subject, quad.predicate, quad.object) for quad in quads)


def prefixes_of(operator: Operator) -> dict[str, str]:
    """The prefixes that the operator's own text has."""
    return operator.request.prefixes if isinstance(operator, UpdateOperator) else {}


def outcomes(operator: Operator, before: Graph, seeds: int, pins: Pins = NOTHING) -> Iterator[tuple[Graph, Change]]:
    """What the operator makes of a graph, for these many seeds; nothing for those with which it does not apply."""
    propose = operator.bound(pins)
    for seed in range(seeds):
        graph = before.copy()
        change = propose(Site(graph, Random(seed), FreshNames(graph, seed), pins))
        if change is None:
            continue
        assert all(graph.has(*keys) for keys in change.removed), "a triple is removed that is not there"
        assert not any(graph.has(*keys) for keys in change.added), "a triple is added that is there"
        for keys in (*change.removed, *change.added):
            graph.flip(keys)
        yield graph, change


def fits(found: Graph, before: Graph, after: Graph) -> bool:
    """Whether what was found is what the example says."""
    known = {*before.terms(), *after.terms()}
    wild = {term.datatype for term in after.terms() if isinstance(term, Literal) and term.value == "*"}

    def loosened(term: Term) -> Term:
        if isinstance(term, NamedNode) and term not in known and _MADE_UP.search(term.value):
            return BlankNode("new" + re.sub(r"\W", "", term.value))
        if isinstance(term, Literal) and term not in known and term.datatype in wild:
            return Literal("*", datatype=term.datatype)
        return term

    def without_new(term: Term) -> Term:
        if isinstance(term, NamedNode) and term.value.startswith(NAMESPACE):
            return BlankNode("new" + term.value.removeprefix(NAMESPACE))
        return term

    return isomorphic(Graph(_mapped(found, loosened)), Graph(_mapped(after, without_new)))


def _mapped(graph: Graph, change: Callable[[Term], Term]) -> Iterator[Triple]:
    for row in graph.rows():
        subject, predicate, value = map(graph.term, row)
        yield Triple(change(subject), predicate, change(value))  # type: ignore[arg-type]  # each stays of its kind
