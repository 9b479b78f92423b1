"""Lists in class axioms, by their keys: which list a cell is in, and what is in it."""

from __future__ import annotations

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF

__all__ = ["cells_from", "head_of", "is_of_classes"]


def head_of(graph: Graph, cell: Key) -> Key | None:
    """The first cell of the list that this one is in; None if it is in several lists, or in a circle."""
    rest = graph.key(RDF.rest)
    seen = {cell}
    while before := graph.subjects(rest, cell):
        cell = before[0]
        if len(before) > 1 or cell in seen:
            return None
        seen.add(cell)
    return cell


def cells_from(graph: Graph, head: Key) -> list[tuple[Key, Key]] | None:
    """Each cell of a list and its member; None if the list is broken."""
    first, rest, nil = (graph.key(name) for name in (RDF.first, RDF.rest, RDF.nil))
    found: dict[Key, Key] = {}
    while head != nil:
        members, following = graph.objects(head, first), graph.objects(head, rest)
        if len(members) != 1 or len(following) != 1 or head in found:
            return None
        found[head] = members[0]
        head = following[0]
    return list(found.items())


def is_of_classes(graph: Graph, head: Key) -> bool:
    """Whether the members of a list stand for classes: an intersection, a union, or a group of disjoint ones."""
    for owner, predicate, _ in graph.rows(None, None, head):
        term = graph.term(predicate)
        if term in (OWL.intersectionOf, OWL.unionOf, OWL.disjointUnionOf):
            return True
        if term == OWL.members and graph.has(owner, graph.key(RDF.type), graph.key(OWL.AllDisjointClasses)):
            return True
    return False
