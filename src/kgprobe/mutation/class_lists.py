"""Lists in class axioms, by their keys: which list a cell is in, and what is in it."""

from __future__ import annotations

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF

__all__ = ["cells_from", "head_of", "is_of_classes", "unlinked"]


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


def unlinked(graph: Graph, cells: list[tuple[Key, Key]], place: int) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """What must go and come for a list to lose one cell: what pointed to it points to the next one."""
    following = cells[place + 1][0] if place + 1 < len(cells) else graph.key(RDF.nil)
    removed = list(graph.rows(None, None, cells[place][0]))
    return removed, [(s, p, following) for s, p, _ in removed]


def is_of_classes(graph: Graph, head: Key) -> bool:
    """Whether the members of a list stand for classes: an intersection, a union, or a group of disjoint ones."""
    for owner, predicate, _ in graph.rows(None, None, head):
        term = graph.term(predicate)
        if term in (OWL.intersectionOf, OWL.unionOf, OWL.disjointUnionOf):
            return True
        if term == OWL.members and graph.has(owner, graph.key(RDF.type), graph.key(OWL.AllDisjointClasses)):
            return True
    return False
