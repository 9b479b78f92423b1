"""The second part of the demo: a mask, and why two broken variants of a graph are not admissible."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.demo.graph import NAMESPACE, example
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, NamedNode, Triple
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.reasoners.choice import open_reasoner

__all__ = ["show"]


def show() -> Iterator[str]:
    """Run it, and say what happens line by line."""
    graph = example("inspection.ttl").graph
    shapes = example("inspection-shapes.ttl").graph
    reasoner = open_reasoner("auto")
    try:
        mask = Mask([ShaclCheck(shapes, "shapes"), ConsistencyCheck(reasoner)])
        yield f"Mask       SHACL shapes, and consistency; the pipeline is admissible: {_yes(mask.admits(graph))}"
        for title, delta in _broken(graph):
            graph.apply(delta)
            yield f"Break it   {title}"
            yield from (f"             {r.check}: {r.words}" for r in mask.rejections(graph))
            graph.revert(delta)
        yield f"Take back  admissible again: {_yes(mask.admits(graph))}"
    finally:
        reasoner.close()


def _broken(graph: Graph) -> Iterator[tuple[str, Delta]]:
    """Two changes, one that the shapes forbid and one that has no model."""
    segment, length = NamedNode(NAMESPACE + "segment3"), NamedNode(NAMESPACE + "lengthInMetres")
    yield "a segment loses its length", Delta(removed=graph.triples(segment, length))
    valve, robot = NamedNode(NAMESPACE + "valve1"), NamedNode(NAMESPACE + "Robot")
    yield "a valve becomes a robot", Delta(added=[Triple(valve, RDF.type, robot)])


def _yes(condition: bool) -> str:
    return "yes" if condition else "NO"
