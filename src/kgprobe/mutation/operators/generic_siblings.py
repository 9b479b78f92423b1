"""The operator that replaces a class with a sibling where a subclass axiom uses it: alone or in an expression."""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import head_of, with_what_hangs_on
from kgprobe.mutation.operator import Change, Site, described
from kgprobe.mutation.operators.drawing import triple_with_one_of
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode

__all__ = ["OPERATORS"]

# The number of draws. Many classes are the only subclass of another class.
_TRIES = 50
# Where a subclass axiom has its classes.
_PLACES = (RDFS.subClassOf, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass, OWL.complementOf, RDF.first)
_OPERATIONS = (OWL.intersectionOf, OWL.unionOf)


def _propose(site: Site) -> Change | None:
    graph = site.graph
    for _ in range(_TRIES):
        use = triple_with_one_of(map(graph.key, _PLACES), site)
        if use is None:
            return None
        sibling = _sibling(site, use)
        if sibling is None or not _is_in_expression(graph, use):
            continue
        new = (use[0], use[1], sibling)
        removed = with_what_hangs_on(graph, [use], [new])
        if not graph.has(*new) and site.pins.allow(graph, [*removed, new]):
            return Change(removed, [new], {"class": use[2], "sibling": sibling})
    return None


def _sibling(site: Site, use: KeyTriple) -> Key | None:
    """Another class with the same superclass, if the drawn term is a class."""
    graph = site.graph
    below = graph.key(RDFS.subClassOf)
    parents = [parent for parent in graph.objects(use[2], below) if isinstance(graph.term(parent), NamedNode)]
    if not parents or not isinstance(graph.term(use[2]), NamedNode):
        return None
    drawn = graph.sample(site.random, None, below, parents[int(site.random.random() * len(parents))])
    if drawn is None or drawn[0] in use or not isinstance(graph.term(drawn[0]), NamedNode):
        return None
    return drawn[0]


def _is_in_expression(graph: Graph, use: KeyTriple) -> bool:
    """Whether a member of a list is an operand. Other uses are never ambiguous."""
    if graph.term(use[1]) != RDF.first:
        return True
    head = head_of(graph, use[0])
    return head is not None and any(graph.count(None, graph.key(operation), head) for operation in _OPERATIONS)


OPERATORS = (
    described(
        """
name: ReplaceSibling
does: replace a class in a subclass axiom or a class expression by a sibling, a class with the same superclass
target: tbox
tidies: yes
sets: generic
paper: table 1
rdfmutate: ToSiblingClassMutation
before:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device . :GearPump rdfs:subClassOf :Pump .
after:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device . :GearPump rdfs:subClassOf :Valve .
before:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device .
  :Plant rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Pump ] .
after:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device .
  :Plant rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Valve ] .
before:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device .
  :Part rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Screw :Pump) ] .
after:
  :Pump rdfs:subClassOf :Device . :Valve rdfs:subClassOf :Device .
  :Part rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Screw :Valve) ] .
""",
        _propose,
    ),
)
