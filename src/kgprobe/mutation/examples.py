"""The examples of operators as graphs, and what an operator makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import pyoxigraph

from kgprobe.mutation.operator import NO_PINS, Operator, Pins, Site
from kgprobe.mutation.update import UpdateOperator
from kgprobe.rdf.graph import NEW_NAMESPACE, FreshNames, Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES

__all__ = ["EXAMPLE_NAMESPACE", "example_graph", "prefixes_of", "trials"]

EXAMPLE_NAMESPACE = "https://kgprobe.example/#"
_PREFIXES = {"": EXAMPLE_NAMESPACE, "new": NEW_NAMESPACE, **STANDARD_PREFIXES}


def example_graph(turtle: str, prefixes: Mapping[str, str] | None = None) -> Graph:
    """The graph of an example, which may use these prefixes, too."""
    header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in (_PREFIXES | dict(prefixes or {})).items())
    quads = pyoxigraph.parse((header + turtle).encode(), pyoxigraph.RdfFormat.TURTLE)
    return Graph(quad.triple for quad in quads)


def prefixes_of(operator: Operator) -> dict[str, str]:
    """The prefixes that the operator declares."""
    return operator.request.prefixes if isinstance(operator, UpdateOperator) else {}


def trials(operator: Operator, before: Graph, count: int, pins: Pins = NO_PINS) -> Iterator[Graph]:
    """What the operator makes of a graph, with different random choices; fewer if it does not always apply."""
    propose = operator.bound(pins)
    for seed in range(count):
        graph = before.copy()
        change = propose(Site(graph, Random(seed), FreshNames(graph, seed), pins))
        if change is not None:
            graph.change(change.removed, change.added)
            yield graph
