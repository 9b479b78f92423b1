"""Operators that replace a class with another one in every axiom, and that remove one from an intersection or a union.

A replacement keeps the declaration and the annotations of the class. An axiom with a different class is a different
axiom, so the annotations of the old axiom are removed with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kgprobe.mutation.axiom_rows import cells_from, head_of, is_of_classes, root_triples, unlinked, with_what_hangs_on
from kgprobe.mutation.functions import is_class
from kgprobe.mutation.operator import Change, DrawnChange, Propose, Site, described, triple_with
from kgprobe.owl.grammar import SWRL
from kgprobe.rdf.derived import KeySet
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode

# -- replacement -------------------------------------------------------------------------------------------------------


# Triples to remove, and triples to add.
_Swap: TypeAlias = tuple[list[KeyTriple], list[KeyTriple]]

# The number of classes drawn to find one that can be replaced.
_TRIES_TO_REPLACE = 10
# Where a name stands for a class: as the subject of these predicates, and as the object of those.
_SUBJECT_IS_CLASS = KeySet(RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.disjointUnionOf, OWL.hasKey)
_OBJECT_IS_CLASS = KeySet(
    *(RDF.type, RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.complementOf),
    *(RDFS.domain, RDFS.range, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass, SWRL.classPredicate),
)
# Between a class and itself, these do not form an axiom: both take at least two classes.
_BETWEEN_TWO = KeySet(OWL.equivalentClass, OWL.disjointWith)


def _replacement(choose: Callable[[Site, Key], Key | None]) -> Propose:
    def replaced(site: Site, row: KeyTriple) -> Change | None:
        old = row[0]
        new = choose(site, old) if is_class(site.graph, (old,)) else None
        return None if new is None else _replaced(site, old, new)

    return DrawnChange(triple_with(RDF.type, OWL.Class), replaced, _TRIES_TO_REPLACE)


def _always(name: NamedNode) -> Callable[[Site, Key], Key | None]:
    return lambda site, _: site.graph.key(name)


def _sibling(site: Site, of: Key) -> Key | None:
    """Another class that shares a superclass with this one."""
    graph, random = site.graph, site.random
    below = graph.key(RDFS.subClassOf)
    supers = [class_ for class_ in graph.objects(of, below) if isinstance(graph.term(class_), NamedNode)]
    if not supers:
        return None
    row = graph.sample(random, None, below, supers[int(random.random() * len(supers))])
    return row[0] if row and row[0] != of and is_class(graph, (row[0],)) else None


def _replaced(site: Site, old: Key, new: Key) -> Change | None:
    graph = site.graph
    swaps = _swaps(graph, old, new)
    if not swaps:
        return None
    between = _BETWEEN_TWO.of(graph)
    come = dict.fromkeys((s, p, o) for _, added in swaps for s, p, o in added if not (s == o and p in between))
    removed = with_what_hangs_on(graph, [keys for gone, _ in swaps for keys in gone], come)
    added = [keys for keys in come if not graph.has(*keys)]
    if not site.pins.allow(graph, [*removed, *added]):
        return None
    return Change(removed, added, {"class": old, "replacement": new})


def _swaps(graph: Graph, old: Key, new: Key) -> list[_Swap] | None:
    """The triples to remove and to add at each use of a class; None if the new class cannot replace one of the uses."""
    as_subject, as_object = _SUBJECT_IS_CLASS.of(graph), _OBJECT_IS_CLASS.of(graph)
    uses = dict.fromkeys(row for row in graph.about(old) if row[1] in as_subject)
    first = graph.key(RDF.first)
    swaps: list[_Swap] = []
    for row in graph.to(old):
        if row[1] in as_object:
            uses[row] = None
        elif row[1] == first and (head := head_of(graph, row[0])) is not None and is_of_classes(graph, head):
            swap = _in_list(graph, row, head, new)
            if swap is None:
                return None
            swaps.append(swap)
    for s, p, o in uses:  # the name may also denote a property or an individual, even in the same triple
        subject = new if s == old and p in as_subject else s
        object_ = new if o == old and p in as_object else o
        swaps.append(([(s, p, o)], [(subject, p, object_)]))
    return swaps


def _in_list(graph: Graph, row: KeyTriple, head: Key, new: Key) -> _Swap | None:
    """A list with the new class instead of the old one, or just without the old one if it already has the new one."""
    cells = cells_from(graph, head)
    if cells is None:
        return None
    if all(member != new for _, member in cells):
        return [row], [(row[0], row[1], new)]
    left = {member: None for cell, member in cells if cell != row[0]}
    if len(left) < 2:
        return None  # an intersection takes at least two classes, and so do all other lists
    for owner, predicate, _ in graph.to(head):
        if len(left) == 2 and graph.term(predicate) == OWL.members:
            # A group has at least three members. The node is removed with its type.
            [other] = [member for member in left if member != new]
            group = (owner, graph.key(RDF.type), graph.key(OWL.AllDisjointClasses))
            return [group], [(new, graph.key(OWL.disjointWith), other)]
    return unlinked(graph, row[0])


REPLACEMENTS = (
    described(
        """
name: ReplaceClassWithThing
does: replace a class by owl:Thing in every axiom
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 10
rdfmutate: ReplaceClassWithTopMutation
before:
  :Pump a owl:Class ; rdfs:label "pump" ; rdfs:subClassOf :Device . :p1 a :Pump .
  :Robot rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :Pump :Device ) ] .
after:
  :Pump a owl:Class ; rdfs:label "pump" . owl:Thing rdfs:subClassOf :Device . :p1 a owl:Thing .
  :Robot rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( owl:Thing :Device ) ] .
""",
        _replacement(_always(OWL.Thing)),
    ),
    described(
        """
name: ReplaceClassWithNothing
does: replace a class by owl:Nothing in every axiom
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 11
rdfmutate: ReplaceClassWithBottomMutation
before:
  :Pump a owl:Class ; owl:disjointWith :Device . :drives rdfs:range :Pump .
after:
  :Pump a owl:Class . owl:Nothing owl:disjointWith :Device . :drives rdfs:range owl:Nothing .
before:
  :link a owl:Class , owl:ObjectProperty ; rdfs:range :link .
after:
  :link a owl:Class , owl:ObjectProperty ; rdfs:range owl:Nothing .
""",
        _replacement(_always(OWL.Nothing)),
    ),
    described(
        """
name: ReplaceClassWithSibling
does: replace a class by a sibling, a class with the same superclass, in every axiom
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 12
rdfmutate: ReplaceClassWithSiblingMutation
before:
  :Pump a owl:Class ; rdfs:subClassOf :Device . :Pipe a owl:Class ; rdfs:subClassOf :Device . :p1 a :Pump .
after:
  :Pump a owl:Class . :Pipe a owl:Class ; rdfs:subClassOf :Device . :p1 a :Pipe .
""",
        _replacement(_sibling),
    ),
)


# -- operands of intersections and unions: SPARQL cannot follow and repair a list --------------------------------------


# The number of expressions drawn to find one that can lose an operand.
_TRIES_TO_REMOVE = 10
# The predicates that an expression may be the subject of, besides those that define it.
_AXIOMS = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey)
_BETWEEN_CLASSES = (OWL.equivalentClass, OWL.disjointWith)


def _shortened(site: Site, row: KeyTriple) -> Change | None:
    graph = site.graph
    node, kind, head = row
    cells = cells_from(graph, head)
    if cells is None or len(cells) < 2 or not isinstance(graph.term(node), BlankNode) or _is_bound_range(graph, node):
        return None
    place = int(site.random.random() * len(cells))
    left = [member for n, (_, member) in enumerate(cells) if n != place]
    if len(left) == 1:
        swap = _collapsed(graph, node, kind, left[0])
    elif len(set(left)) > 1:
        swap = unlinked(graph, cells[place][0])
    else:
        swap = None
    if swap is None:
        return None
    added = [keys for keys in dict.fromkeys(swap[1]) if not graph.has(*keys)]
    removed = with_what_hangs_on(graph, swap[0], swap[1])
    if not site.pins.allow(graph, [*removed, *added]):
        return None
    return Change(removed, added, {"expression": node, "operand": cells[place][1]})


def _collapsed(graph: Graph, node: Key, kind: Key, left: Key) -> tuple[list[KeyTriple], list[KeyTriple]] | None:
    """The remaining class in every place of the expression; None if it cannot be in one of them."""
    own = {graph.key(RDF.type), kind}
    annotating = {graph.key(OWL.annotatedSource), graph.key(OWL.annotatedTarget)}
    between = {graph.key(name) for name in _BETWEEN_CLASSES}
    about = [row for row in graph.rows(node) if row[1] not in own]
    referring = [row for row in graph.rows(None, None, node) if row[1] not in annotating]
    if any(graph.term(predicate) not in _AXIOMS for _, predicate, _ in about):
        return None
    if any(predicate == graph.key(RDF.first) and _has(graph, cell, left) for cell, predicate, _ in referring):
        return None
    added = [(s, p, left) for s, p, _ in referring] + [(left, p, o) for _, p, o in about]
    if any(s == o and p in between for s, p, o in added):
        return None
    return [*referring, *graph.rows(node)], added


def _has(graph: Graph, cell: Key, member: Key) -> bool:
    """Whether the list with this cell contains this member, or cannot be read."""
    head = head_of(graph, cell)
    cells = None if head is None else cells_from(graph, head)
    return cells is None or any(operand == member for _, operand in cells)


def _is_bound_range(graph: Graph, node: Key) -> bool:
    """Whether the range of a property would change; chains may require another property to have the same range."""
    if not graph.count(None, graph.key(OWL.propertyChainAxiom)):
        return False
    range_ = graph.key(RDFS.range)
    return any(predicate == range_ for _, predicate, _ in root_triples(graph, node))


OPERANDS = (
    described(
        """
name: CEUA
does: remove one operand of an intersection; if only one is left, it replaces the intersection
target: tbox
sets: generic, owl-el, owl-dl
paper: table 1; table 2, row 39
rdfmutate: CEUAMutation
before:
  :Robot rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :A :B :C ) ] .
after:
  :Robot rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :A :C ) ] .
before:
  :Robot rdfs:subClassOf [
    a owl:Class ;
    owl:intersectionOf ( :A [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ) ] .
after:
  :Robot rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .
before:
  [ a owl:Class ; owl:intersectionOf ( :A :B ) ] rdfs:subClassOf :Robot .
after:
  :A rdfs:subClassOf :Robot .
""",
        DrawnChange(triple_with(OWL.intersectionOf), _shortened, _TRIES_TO_REMOVE),
    ),
    described(
        """
name: CEUO
does: remove one operand of a union; if only one is left, it replaces the union
target: tbox
tidies: yes
sets: generic, owl-dl
paper: table 1
rdfmutate: CEUOMutation
before:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Driven :Part) ] .
after:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Part) ] .
before:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device [ a owl:Class ; owl:complementOf :Part ]) ] .
after:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:complementOf :Part ] .
before:
  [ a owl:Class ; owl:unionOf (:Device :Part) ] rdfs:subClassOf :Thing .
after:
  :Part rdfs:subClassOf :Thing .
before:
  [ a owl:Class ; owl:unionOf (:Device [ a owl:Class ; owl:complementOf :Part ]) ] rdfs:subClassOf :Thing .
after:
  [ a owl:Class ; owl:complementOf :Part ] rdfs:subClassOf :Thing .
""",
        DrawnChange(triple_with(OWL.unionOf), _shortened, _TRIES_TO_REMOVE),
    ),
)
