"""Checks operators against their examples.

An example consists of two graphs in Turtle. It may use the prefixes below and those of the operator. The operator must
turn the first graph into the second, with three exceptions:

- Blank nodes are compared up to their labels.
- New IRIs are compared up to their names. The example puts them in `new:`.
- `"*"^^D` in the second graph stands for any literal of the datatype D.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from support.turtle import graph_in

from kgprobe.mutation.operator import NO_PINS, Change, Operator, Pins, Site
from kgprobe.mutation.update import UpdateOperator
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import NEW_NAMESPACE, FreshNames, Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["EX", "fits", "graph_of", "outcomes", "prefixes_of"]

EX = "https://kgprobe.example/#"
_PREFIXES = {
    "": EX,
    "new": NEW_NAMESPACE,
    "owl": OWL.iri,
    "rdf": RDF.iri,
    "rdfs": RDFS.iri,
    "xsd": XSD.iri,
}
# The suffix that `FreshNames` gives to a name.
_MADE_UP = re.compile(r"n[0-9a-f]{8}-\d+$")


def graph_of(turtle: str, prefixes: dict[str, str] | None = None) -> Graph:
    """The graph of a Turtle text."""
    header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in (_PREFIXES | (prefixes or {})).items())
    return graph_in(header + turtle)


def prefixes_of(operator: Operator) -> dict[str, str]:
    """The prefixes that the operator declares."""
    return operator.request.prefixes if isinstance(operator, UpdateOperator) else {}


def outcomes(operator: Operator, before: Graph, seeds: int, pins: Pins = NO_PINS) -> Iterator[tuple[Graph, Change]]:
    """The results of an operator on a graph for this many seeds; none for seeds for which it does not apply."""
    propose = operator.bound(pins)
    for seed in range(seeds):
        graph = before.copy()
        change = propose(Site(graph, Random(seed), FreshNames(graph, seed), pins))
        if change is None:
            continue
        assert all(graph.has(*keys) for keys in change.removed), "the operator removes a triple that does not exist"
        assert not any(graph.has(*keys) for keys in change.added), "a triple is added that is there"
        for keys in (*change.removed, *change.added):
            graph.flip(keys)
        yield graph, change


def fits(found: Graph, before: Graph, after: Graph) -> bool:
    """Whether a result matches the example."""
    known = {*before.terms(), *after.terms()}
    wild = {term.datatype for term in after.terms() if isinstance(term, Literal) and term.value == "*"}

    def loosened(term: Term) -> Term:
        if isinstance(term, NamedNode) and term not in known and _MADE_UP.search(term.value):
            return BlankNode("new" + re.sub(r"\W", "", term.value))
        if isinstance(term, Literal) and term not in known and term.datatype in wild:
            return Literal("*", datatype=term.datatype)
        return term

    def without_new(term: Term) -> Term:
        if isinstance(term, NamedNode) and term.value.startswith(NEW_NAMESPACE):
            return BlankNode("new" + term.value.removeprefix(NEW_NAMESPACE))
        return term

    return isomorphic(Graph(_mapped(found, loosened)), Graph(_mapped(after, without_new)))


def _mapped(graph: Graph, change: Callable[[Term], Term]) -> Iterator[Triple]:
    for row in graph.rows():
        subject, predicate, value = map(graph.term, row)
        yield Triple(change(subject), predicate, change(value))  # type: ignore[arg-type]  # each stays of its kind
