"""What the tests of systems need: small cases."""

from __future__ import annotations

import sys

import pytest

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Literal, NamedNode, Triple
from kgprobe.model import Case

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes do")


def graph(size: int = 3) -> Graph:
    """A graph of so many triples."""
    return Graph(Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p"), Literal(str(n))) for n in range(size))


def case(of: Graph | None = None) -> Case:
    """A case, of a small graph if of none in particular."""
    return Case("case", graph() if of is None else of)
