"""Operators on relations between nodes, in any graph. A relation is defined by the predicates that it excludes.

SPARQL can express that, but would search all triples of an ontology without relations.
"""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import with_annotations
from kgprobe.mutation.operator import Change, Site, described
from kgprobe.mutation.operators.drawing import triple_with_one_of
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import OWL, RDF, Literal, NamedNode

__all__ = ["OPERATORS"]

# The number of draws. A relation may already exist, or be pinned.
_TRIES = 50


def _add(site: Site) -> Change | None:
    for _ in range(_TRIES):
        one, other = _relation(site), _relation(site)
        if one is None or other is None:
            return None
        new = (one[0], one[1], other[2])
        if not site.graph.has(*new) and site.pins.allow(site.graph, [new]):
            return Change([], [new], {"subject": new[0], "property": new[1], "object": new[2]})
    return None


def _change(site: Site) -> Change | None:
    for _ in range(_TRIES):
        one, other = _relation(site), _relation(site)
        if one is None or other is None:
            return None
        new = (one[0], one[1], other[2])
        if site.graph.has(*new):
            continue
        removed = with_annotations(site.graph, [one])
        if site.pins.allow(site.graph, [*removed, new]):
            return Change(removed, [new], {"subject": one[0], "property": one[1], "old": one[2], "new": new[2]})
    return None


def _remove(site: Site) -> Change | None:
    for _ in range(_TRIES):
        one = _relation(site)
        if one is None:
            return None
        removed = with_annotations(site.graph, [one])
        if site.pins.allow(site.graph, removed):
            return Change(removed, [], {"subject": one[0], "property": one[1], "object": one[2]})
    return None


def _relation(site: Site) -> KeyTriple | None:
    """A triple between two nodes whose predicate is not from RDF or OWL, and not an annotation property."""
    graph = site.graph
    is_a, annotation = graph.key(RDF.type), graph.key(OWL.AnnotationProperty)
    added = [row[1] for row, is_added in graph.changed_keys.items() if is_added and _is_relation(graph, row)]
    predicates = dict.fromkeys([*_PREDICATES.of(graph.table), *added])
    own = [predicate for predicate in predicates if not graph.has(predicate, is_a, annotation)]
    for _ in range(_TRIES):
        row = triple_with_one_of(own, site)
        if row is None or not isinstance(graph.term(row[2]), Literal):
            return row
    return None


def _is_relation(graph: Graph, row: KeyTriple) -> bool:
    predicate = graph.term(row[1])
    is_word = isinstance(predicate, NamedNode) and is_reserved(predicate)
    return not is_word and not isinstance(graph.term(row[2]), Literal)


def _predicates(table: TripleTable) -> list[Key]:
    """The predicates of a table that relate nodes."""
    graph = Graph.from_table(table)
    used = [number for number in range(len(table.terms)) if graph.count(None, number)]
    return [predicate for predicate in used if any(_is_relation(graph, row) for row in graph.rows(None, predicate))]


_PREDICATES = PerTable(_predicates)

OPERATORS = (
    described(
        """
name: AddRelation
does: add a relation: a node and one of its properties, and the object of another relation
target: abox
sets: generic, abox
paper: table 1
rdfmutate: AddRelationMutation
before:
  :p1 :drives :p2 . :p3 :feeds :p4 .
after:
  :p1 :drives :p2 , :p4 . :p3 :feeds :p4 .
""",
        _add,
    ),
    described(
        """
name: ChangeRelation
does: replace the object of a relation by the object of another relation
target: abox
sets: generic, abox
paper: table 1
rdfmutate: ChangeRelationMutation
before:
  :p1 :drives :p2 . :p3 :feeds :p4 .
after:
  :p1 :drives :p4 . :p3 :feeds :p4 .
""",
        _change,
    ),
    described(
        """
name: RemoveRelation
does: remove a relation between two nodes
target: abox
sets: generic, abox
before:
  :p1 :drives :p2 , :p4 ; :weight 2.5 .
after:
  :p1 :drives :p2 ; :weight 2.5 .
before:
  :p1 :drives :p2 . _:note a owl:Axiom ; rdfs:comment "seen" ;
    owl:annotatedSource :p1 ; owl:annotatedProperty :drives ; owl:annotatedTarget :p2 .
  [] a owl:Annotation ; rdfs:label "when" ;
    owl:annotatedSource _:note ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "seen" .
after:
""",
        _remove,
    ),
)
