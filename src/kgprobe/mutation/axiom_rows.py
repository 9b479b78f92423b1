"""Axioms as rows of keys: removing a whole axiom, from one of its triples up to its root and down again; and its lists.

An OWL axiom often takes several triples: a blank node with its own triples, a list, an annotation of the axiom. An
operator names the triple that holds the axiom together (its root); this module finds all other triples of the axiom.
`ontology.axioms.AxiomView` answers a different question: which triples form which axiom. It reads the whole
neighbourhood of a triple. This module only follows rows of keys, and works for any graph, whether or not its triples
form axioms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kgprobe.rdf.derived import KeySet
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode

# A node with one of these types is an axiom. Without the type, it has no meaning.
_AXIOM_TYPES = KeySet(
    OWL.AllDifferent, OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.NegativePropertyAssertion
)
# Axioms about an expression. An expression is useless if nothing refers to it and no axiom about it is left.
_PREDICATES = (
    *(RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey),
    *(RDFS.subPropertyOf, OWL.equivalentProperty, OWL.propertyDisjointWith, OWL.propertyChainAxiom),
    *(RDFS.domain, RDFS.range),
)
_AXIOM_PREDICATES = KeySet(*_PREDICATES)
_TELLING = KeySet(RDF.type, *_PREDICATES)
_ANNOTATING = KeySet(OWL.annotatedSource, OWL.annotatedTarget)


def with_what_hangs_on(
    graph: Graph, removed: Iterable[KeyTriple], added: Collection[KeyTriple] = ()
) -> list[KeyTriple]:
    """These triples, and those that become useless once these are removed and the others are added."""
    gone = dict.fromkeys(removed)
    starts = {keys[0] for keys in added} if added else ()
    ends = {keys[2] for keys in added} if added else ()
    annotated = graph.key(OWL.annotatedSource)
    has_annotations = _is_used(graph, annotated)
    telling = _TELLING.of(graph)
    terms, to, is_gone = graph.table.terms, graph.to, gone.__contains__
    waiting = list(gone)
    for triple in waiting:  # it grows on the way
        subject, predicate, value = triple
        orphans = _annotations(graph, triple, annotated) if has_annotations else []
        is_blank = type(terms[value] if type(value) is int else value) is BlankNode
        if is_blank and value not in starts and value not in ends and all(map(is_gone, to(value))):
            orphans.append(value)
        is_blank = predicate in telling and type(terms[subject] if type(subject) is int else subject) is BlankNode
        if is_blank and subject not in starts and _is_left_alone(graph, triple, gone, referred_to=subject in ends):
            orphans.append(subject)
        for node in orphans:
            for row in graph.about(node):
                if row not in gone:
                    gone[row] = None
                    waiting.append(row)
    return waiting


def with_annotations(graph: Graph, removed: Iterable[KeyTriple]) -> list[KeyTriple]:
    """These triples and their annotations."""
    gone = dict.fromkeys(removed)
    waiting = list(gone)
    annotated = graph.key(OWL.annotatedSource)
    if not _is_used(graph, annotated):
        return waiting
    for triple in waiting:  # the loop extends it: annotations can have annotations
        rows = [row for node in _annotations(graph, triple, annotated) for row in graph.about(node) if row not in gone]
        gone |= dict.fromkeys(rows)
        waiting += rows
    return waiting


def _is_used(graph: Graph, predicate: Key) -> bool:
    return type(predicate) is int or predicate in graph.changed_parts(1)


def _is_left_alone(graph: Graph, triple: KeyTriple, gone: Collection[KeyTriple], *, referred_to: bool) -> bool:
    """Whether the subject of a removed triple, a blank node, has no other purpose than this triple."""
    node, predicate, value = triple
    axioms = _AXIOM_PREDICATES.of(graph)
    if predicate not in axioms:
        return predicate == graph.table.is_a and value in _AXIOM_TYPES.of(graph)
    if referred_to:
        return False
    annotating = _ANNOTATING.of(graph)
    if any(row not in gone and row[1] not in annotating for row in graph.to(node)):
        return False
    return not any(row not in gone and row[1] in axioms for row in graph.about(node))


def _annotations(graph: Graph, triple: KeyTriple, annotated: Key) -> list[Key]:
    """The nodes that annotate this triple."""
    s, p, o = triple
    prop, target = graph.key(OWL.annotatedProperty), graph.key(OWL.annotatedTarget)
    nodes = graph.subjects(annotated, s)
    return [node for node in nodes if graph.has(node, prop, p) and graph.has(node, target, o)]


def all_with(graph: Graph, rows: Iterable[KeyTriple], besides: Iterable[Key] = ()) -> Iterator[KeyTriple]:
    """The triples to remove so that none of these rows is left: the rows, or the roots of the axioms that contain them.

    `with_what_hangs_on` adds everything below the roots. `besides` are nodes that the caller removes itself.
    """
    seen = set(besides)
    for row in rows:
        if type(graph.term(row[0])) is BlankNode:
            yield from _up_from_node(graph, row[0], seen)
        else:
            yield row


def root_triples(graph: Graph, node: Key) -> Iterator[KeyTriple]:
    """The roots of the axioms that contain this blank node."""
    return _up_from_node(graph, node, set())


def _up_from_node(graph: Graph, node: Key, seen: set[Key]) -> Iterator[KeyTriple]:
    """An expression or a list is part of the node that refers to it; a node without references is itself an axiom."""
    # An annotation refers to the triple that it annotates, but does not contain it.
    annotating = _ANNOTATING.of(graph)
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        referring = [row for row in graph.to(current) if row[1] not in annotating]
        if not referring:
            yield from graph.about(current)
        for row in referring:
            if isinstance(graph.term(row[0]), BlankNode):
                waiting.append(row[0])
            else:
                yield row


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
    cells: dict[Key, Key] = {}
    while head != nil:
        members, following = graph.objects(head, first), graph.objects(head, rest)
        if len(members) != 1 or len(following) != 1 or head in cells:
            return None
        cells[head] = members[0]
        head = following[0]
    return list(cells.items())


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
