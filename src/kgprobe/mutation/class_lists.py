"""Lists in class axioms, by their keys: the list that contains a cell, and the members of a list."""

from __future__ import annotations

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key, KeyTriple
from kgprobe.graph.terms import OWL, RDF

__all__ = ["cells_from", "head_of", "is_in_long_group", "is_of_classes", "unlinked"]


def head_of(graph: Graph, cell: Key) -> Key | None:
    """The first cell of the list that contains this cell; None if it is in several lists, or in a circle."""
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


def unlinked(graph: Graph, cell: Key) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """The triples to remove and to add so that a list loses one cell; reads only the neighbouring cells."""
    [following] = graph.objects(cell, graph.key(RDF.rest))
    removed = graph.to(cell)
    return removed, [(s, p, following) for s, p, _ in removed]


def is_in_long_group(graph: Graph, cell: Key, length: int) -> bool:
    """Whether a cell is in a list of individuals that differ, with more members than this.

    No other list is that long in EL, and the search for the owner of a list takes time in proportion to its length. So
    this reads only the cells nearby, and the owner if it is among them.
    """
    rest, nil = graph.key(RDF.rest), graph.key(RDF.nil)
    count, node = 1, cell
    while count <= length:
        before = graph.subjects(rest, node)
        if len(before) != 1:
            break
        count, node = count + 1, before[0]
    else:
        return _is_sound(graph, cell)
    owners = [graph.term(predicate) for _, predicate, _ in graph.to(node)]
    if any(owner not in (OWL.members, OWL.distinctMembers) for owner in owners):
        return False
    node = cell
    while count <= length:
        after = graph.objects(node, rest)
        if len(after) != 1 or after[0] == nil:
            return False
        count, node = count + 1, after[0]
    return _is_sound(graph, cell)


def _is_sound(graph: Graph, cell: Key) -> bool:
    """Whether a cell has one member and one successor, and is in one list."""
    parts = (graph.key(RDF.first), graph.key(RDF.rest))
    return all(len(graph.objects(cell, part)) == 1 for part in parts) and graph.count(None, None, cell) == 1


def is_of_classes(graph: Graph, head: Key) -> bool:
    """Whether the members of a list stand for classes: in an intersection, a union, or a group of disjoint classes."""
    for owner, predicate, _ in graph.to(head):
        term = graph.term(predicate)
        if term in (OWL.intersectionOf, OWL.unionOf, OWL.disjointUnionOf):
            return True
        if term == OWL.members and graph.has(owner, graph.key(RDF.type), graph.key(OWL.AllDisjointClasses)):
            return True
    return False
