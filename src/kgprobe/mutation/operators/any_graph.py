"""Operators on nodes, relations and values of any graph, that SPARQL cannot express or is slow for."""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import head_of, with_annotations, with_what_hangs_on
from kgprobe.mutation.functions import BINDINGS
from kgprobe.mutation.operator import Change, DrawnChange, Site, described, triple_with_one_of
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.owl.random_values import random_literal
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

# -- nodes -------------------------------------------------------------------------------------------------------------


# The number of draws. A node may be pinned, or belong to the vocabulary of RDF or OWL.
_TRIES_FOR_A_NODE = 20


def _node(site: Site) -> Key | None:
    return BINDINGS["node"].give(site, ())


def _without(site: Site, node: Key) -> Change | None:
    graph = site.graph
    if _is_word(graph, node):
        return None
    rows = dict.fromkeys([*graph.rows(node), *graph.rows(None, node), *graph.rows(None, None, node)])
    return Change(list(rows), (), {"node": node}) if site.pins.allow(graph, rows) else None


def _is_word(graph: Graph, node: Key) -> bool:
    term = graph.term(node)
    return isinstance(term, NamedNode) and is_reserved(term)


NODES = (
    described(
        """
name: RemoveNode
does: remove a node outside the vocabularies of RDF and OWL, with all triples that it occurs in
target: both
sets: generic
paper: table 1
rdfmutate: RemoveNodeMutation
before:
  :p1 :drives :p2 . :p2 :feeds :p3 ; :weight 2.5 . :p3 :drives :p1 .
after:
  :p3 :drives :p1 .
""",
        DrawnChange[Key](_node, _without, _TRIES_FOR_A_NODE),
    ),
)


# -- relations, which are defined by the predicates that they exclude --------------------------------------------------

# SPARQL can express them, but would search all triples of an ontology without relations.


# The number of draws. A relation may already exist, or be pinned.
_TRIES_FOR_A_RELATION = 50


def _two_relations(site: Site) -> tuple[KeyTriple, KeyTriple] | None:
    one, other = _relation(site), _relation(site)
    return None if one is None or other is None else (one, other)


def _added(site: Site, relations: tuple[KeyTriple, KeyTriple]) -> Change | None:
    one, other = relations
    new = (one[0], one[1], other[2])
    if not site.graph.has(*new) and site.pins.allow(site.graph, [new]):
        return Change([], [new], {"subject": new[0], "property": new[1], "object": new[2]})
    return None


def _changed(site: Site, relations: tuple[KeyTriple, KeyTriple]) -> Change | None:
    one, other = relations
    new = (one[0], one[1], other[2])
    if site.graph.has(*new):
        return None
    removed = with_annotations(site.graph, [one])
    if site.pins.allow(site.graph, [*removed, new]):
        return Change(removed, [new], {"subject": one[0], "property": one[1], "old": one[2], "new": new[2]})
    return None


def _removed(site: Site, one: KeyTriple) -> Change | None:
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
    for _ in range(_TRIES_FOR_A_RELATION):
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

RELATIONS = (
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
        DrawnChange(_two_relations, _added, _TRIES_FOR_A_RELATION),
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
        DrawnChange(_two_relations, _changed, _TRIES_FOR_A_RELATION),
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
        DrawnChange(_relation, _removed, _TRIES_FOR_A_RELATION),
    ),
)


# -- siblings ----------------------------------------------------------------------------------------------------------


# The number of draws. Many classes are the only subclass of another class.
_TRIES_FOR_A_SIBLING = 50
# Where a subclass axiom has its classes.
_PLACES = (RDFS.subClassOf, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass, OWL.complementOf, RDF.first)
_OPERATIONS = (OWL.intersectionOf, OWL.unionOf)


def _use(site: Site) -> KeyTriple | None:
    return triple_with_one_of(map(site.graph.key, _PLACES), site)


def _with_sibling(site: Site, use: KeyTriple) -> Change | None:
    graph = site.graph
    sibling = _sibling(site, use)
    if sibling is None or not _is_in_expression(graph, use):
        return None
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


SIBLINGS = (
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
        DrawnChange(_use, _with_sibling, _TRIES_FOR_A_SIBLING),
    ),
)


# -- values ------------------------------------------------------------------------------------------------------------


# The number of draws. A triple may be pinned, or already removed from the graph.
_TRIES_FOR_A_VALUE = 20


def _change_double(site: Site) -> Change | None:
    graph = site.graph
    loaded = _DOUBLES.of(graph.table)
    added = [keys for keys, is_added in graph.changed_keys.items() if is_added and _is_double(graph, keys)]
    for _ in range(_TRIES_FOR_A_VALUE if loaded or added else 0):
        place = int(site.random.random() * (len(loaded) + len(added)))
        row = loaded[place] if place < len(loaded) else added[place - len(loaded)]
        value = random_literal(XSD.double, site.random)
        if value is None or not graph.has(*row):
            continue
        new = (row[0], row[1], graph.key(value))
        if not graph.has(*new) and site.pins.allow(graph, [row, new]):
            return Change([row], [new], {"old": row[2], "new": new[2]})
    return None


def _is_double(graph: Graph, keys: KeyTriple) -> bool:
    term = graph.term(keys[2])
    return isinstance(term, Literal) and term.datatype == XSD.double


def _doubles(table: TripleTable) -> list[KeyTriple]:
    """The triples of a table with a double."""
    literals = ((n, term) for n, term in enumerate(table.terms) if isinstance(term, Literal))
    numbers = [n for n, term in literals if term.datatype == XSD.double]
    return [row for number in numbers for row in table.rows(None, None, number)]


_DOUBLES = PerTable(_doubles)

VALUES = (
    described(
        """
name: ChangeDouble
does: replace the value of a double by a random one
target: both
sets: generic
paper: table 1
rdfmutate: ChangeDoubleMutation
before:
  :p1 :weight 2.5e0 , 2.5 .
after:
  :p1 :weight "*"^^xsd:double , 2.5 .
""",
        _change_double,
    ),
)
