"""The operators that remove one class from an intersection or a union. SPARQL cannot follow and repair a list."""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import cells_from, head_of, root_triples, unlinked, with_what_hangs_on
from kgprobe.mutation.operator import Change, Propose, Site, described
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode

__all__ = ["OPERATORS"]

# The number of expressions drawn to find one that can lose an operand.
_TRIES = 10
# The predicates that an expression may be the subject of, besides those that define it.
_AXIOMS = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey)
_BETWEEN_TWO = (OWL.equivalentClass, OWL.disjointWith)


def _removal(kind: NamedNode) -> Propose:
    def propose(site: Site) -> Change | None:
        for _ in range(_TRIES):
            row = site.graph.sample(site.random, None, site.graph.key(kind))
            if row is None:
                return None
            change = _shortened(site, row)
            if change is not None:
                return change
        return None

    return propose


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
    between = {graph.key(name) for name in _BETWEEN_TWO}
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
    return cells is None or any(each == member for _, each in cells)


def _is_bound_range(graph: Graph, node: Key) -> bool:
    """Whether the range of a property would change; chains may require another property to have the same range."""
    if not graph.count(None, graph.key(OWL.propertyChainAxiom)):
        return False
    range_ = graph.key(RDFS.range)
    return any(predicate == range_ for _, predicate, _ in root_triples(graph, node))


OPERATORS = (
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
        _removal(OWL.intersectionOf),
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
        _removal(OWL.unionOf),
    ),
)
