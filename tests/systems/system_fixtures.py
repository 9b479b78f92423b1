"""Small cases for the tests of systems."""

from __future__ import annotations

from support.processes import needs_linux

from kgprobe.model import Case
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

__all__ = ["case", "graph", "needs_linux"]


def graph(size: int = 3) -> Graph:
    """A graph of this many triples."""
    return Graph(Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p"), Literal(str(n))) for n in range(size))


def case(of: Graph | None = None) -> Case:
    """A case; by default, of a small graph."""
    return Case.of_graph("case", graph() if of is None else of)
