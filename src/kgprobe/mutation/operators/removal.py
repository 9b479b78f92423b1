"""Operators that remove assertions about an individual, names with every axiom about them, and axioms about groups.

SPARQL would search all triples for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgprobe.mutation.axiom_rows import all_with, is_in_long_group, unlinked, with_what_hangs_on
from kgprobe.mutation.functions import (
    Assertions,
    class_assertions,
    data_property_assertions,
    is_class,
    is_data_property,
    is_object_property,
    is_own_name,
    object_property_assertions,
    random_individual,
)
from kgprobe.mutation.operator import Change, DrawnChange, Propose, Site, described, triple_with
from kgprobe.rdf.derived import KeySet
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode
from kgprobe.sparql.matching.filters import Test

# -- assertions --------------------------------------------------------------------------------------------------------


# The number of assertions drawn to find one that is not pinned.
_TRIES_FOR_AN_ASSERTION = 10


def _assertion_removal(assertions: Assertions) -> Propose:
    def draw(site: Site) -> KeyTriple | None:
        return assertions.sample(site.graph, site.random)

    return DrawnChange(draw, _without_assertion, _TRIES_FOR_AN_ASSERTION)


def _without_assertion(site: Site, row: KeyTriple) -> Change | None:
    removed = with_what_hangs_on(site.graph, [row])
    if site.pins.allow(site.graph, removed):
        return Change(removed, [], dict(zip(("individual", "property", "value"), row, strict=True)))
    return None


ASSERTIONS = (
    described(
        """
name: RemoveClassAssertion
does: remove a class assertion of an individual, with the class expression in it
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 45
rdfmutate: RemoveClassAssertionMutation
before:
  :Pump a owl:Class . :a a :Pump , owl:NamedIndividual .
after:
  :Pump a owl:Class . :a a owl:NamedIndividual .
""",
        _assertion_removal(class_assertions),
    ),
    described(
        """
name: RemoveObjectPropertyAssertion
does: remove an object property relation between two individuals
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 47
rdfmutate: RemoveObjectPropertyRelationMutation
before:
  :drives a owl:ObjectProperty . :a :drives :b .
after:
  :drives a owl:ObjectProperty .
""",
        _assertion_removal(object_property_assertions),
    ),
    described(
        """
name: RemoveDataPropertyAssertion
does: remove a data property relation of an individual
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 55
rdfmutate: RemoveDataPropertyRelationMutation
before:
  :name a owl:DatatypeProperty . :a :name "x" .
after:
  :name a owl:DatatypeProperty .
""",
        _assertion_removal(data_property_assertions),
    ),
)


# -- names, and every axiom that mentions them -------------------------------------------------------------------------


# The number of draws before the operator gives up, and the largest number of triples that a name may be in. Half of an
# ontology may depend on one property: without it, a mutant would be a different ontology, and slow to make.
_TRIES_FOR_A_NAME = 4
_MOST_TRIPLES = 20
# A longer list only loses the name, and is not removed with it: thousands of individuals may be declared different.
_LONG = 8


def _name_removal(draw: Callable[[Site], Key | None]) -> Propose:
    return DrawnChange[Key](draw, _without_name, _TRIES_FOR_A_NAME)


def _without_name(site: Site, name: Key) -> Change | None:
    graph = site.graph
    if graph.count(None, None, name) > _MOST_TRIPLES or graph.count(None, name) > _MOST_TRIPLES:
        return None
    about, with_name = graph.about(name), graph.to(name)
    rows = [*about, *graph.rows(None, name), *with_name]
    if len(rows) > _MOST_TRIPLES or not _is_one_thing(graph, about):
        return None
    first = graph.key(RDF.first)
    cells = [s for s, p, _ in with_name if p == first and is_in_long_group(graph, s, _LONG)]
    swaps = [unlinked(graph, cell) for cell in cells]
    added = [keys for _, come in swaps for keys in come]
    gone = [*all_with(graph, rows, besides=cells), *(keys for go, _ in swaps for keys in go)]
    removed = with_what_hangs_on(graph, gone, added)
    if (added and set(added) & set(removed)) or not site.pins.allow(graph, [*removed, *added]):
        return None  # two adjacent cells of one list cannot both be removed in this way
    return Change(removed, added, {"name": name})


def _is_one_thing(graph: Graph, about: list[KeyTriple]) -> bool:
    """Whether at most one declaration would be removed with the name: other axioms may need the other declarations."""
    is_a, declarations = graph.table.is_a, _DECLARATIONS.of(graph)
    return sum(p == is_a and o in declarations for _, p, o in about) <= 1


_DECLARATIONS = KeySet(
    *(OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty),
    *(OWL.NamedIndividual, OWL.Ontology, RDFS.Datatype),
)


def _declared(kind: NamedNode, test: Test) -> Callable[[Site], Key | None]:
    def draw(site: Site) -> Key | None:
        graph = site.graph
        for _ in range(_TRIES_FOR_A_NAME):
            row = graph.sample(site.random, None, graph.table.is_a, graph.key(kind))
            if row is None:
                return None
            if test(graph, (row[0],)):
                return row[0]
        return None

    return draw


def _individual(site: Site) -> Key | None:
    graph = site.graph
    for _ in range(_TRIES_FOR_A_NAME):
        name = random_individual(graph, site.random)
        if name is None:
            return None
        types = (type_ for type_ in graph.objects(name, graph.key(RDF.type)) if not is_own_name(graph, type_))
        if all(graph.term(type_) in (OWL.NamedIndividual, OWL.Thing) or not _is_name(graph, type_) for type_ in types):
            return name
    return None


def _is_name(graph: Graph, key: Key) -> bool:
    return isinstance(graph.term(key), NamedNode)


NAMES = (
    described(
        """
name: RemoveClass
does: remove a class, with every axiom that mentions it
target: tbox
sets: owl-el, owl-dl
rdfmutate: RemoveClassMutation
before:
  :Pump a owl:Class ; rdfs:subClassOf :Device . :p1 a :Pump . :Device a owl:Class .
  :Robot rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Pump ] .
after:
  :Device a owl:Class .
""",
        _name_removal(_declared(OWL.Class, is_class)),
    ),
    described(
        """
name: RemoveObjectProperty
does: remove an object property, with every axiom that mentions it
target: tbox
sets: owl-el, owl-dl
rdfmutate: RemoveObjectPropertyMutation
before:
  :drives a owl:ObjectProperty ; rdfs:domain :Pump . :a :drives :b . :q owl:propertyChainAxiom ( :drives :r ) .
  :Robot a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drives ; owl:someValuesFrom :Pump ] .
after:
  :Robot a owl:Class .
""",
        _name_removal(_declared(OWL.ObjectProperty, is_object_property)),
    ),
    described(
        """
name: RemoveDataProperty
does: remove a data property, with every axiom that mentions it
target: tbox
sets: owl-el, owl-dl
before:
  :name a owl:DatatypeProperty ; rdfs:range xsd:string . :Pump a owl:Class ; owl:hasKey ( :name ) .
after:
  :Pump a owl:Class .
""",
        _name_removal(_declared(OWL.DatatypeProperty, is_data_property)),
    ),
    described(
        """
name: RemoveAnnotationProperty
does: remove an annotation property, with every axiom that mentions it
target: tbox
sets: owl-el, owl-dl, annotations
before:
  :maker a owl:AnnotationProperty ; rdfs:range xsd:string . :Pump a owl:Class ; :maker "Acme" .
  [] a owl:Axiom ; owl:annotatedSource :Pump ; owl:annotatedProperty :maker ; owl:annotatedTarget "Acme" ;
    rdfs:comment "why" .
after:
  :Pump a owl:Class .
""",
        _name_removal(_declared(OWL.AnnotationProperty, lambda graph, keys: is_own_name(graph, keys[0]))),
    ),
    described(
        """
name: RemoveIndividual
does: remove an individual, with every axiom that mentions it, except long ones of different individuals
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 43
rdfmutate: RemoveIndividualMutation
before:
  :a a :Pump ; :drives :a ; rdfs:label "a" . :Pump a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:oneOf ( :a ) ] .
  [] a owl:NegativePropertyAssertion ;
    owl:sourceIndividual :a ; owl:assertionProperty :drives ; owl:targetIndividual :a .
after:
  :Pump a owl:Class .
""",
        _name_removal(_individual),
    ),
)


# -- groups: individuals that differ, classes or properties that are disjoint ------------------------------------------


# A larger group loses one of its first members instead: a group may have thousands of members, and removing it as a
# whole is not a small step.
_LONG_GROUP = 8
_TRIES_FOR_A_GROUP = 5


def _group_removal(kind: NamedNode, lists: Sequence[NamedNode]) -> Propose:
    def shortened(site: Site, row: KeyTriple) -> Change | None:
        return _without_group(site, row, lists) if isinstance(site.graph.term(row[0]), BlankNode) else None

    return DrawnChange(triple_with(RDF.type, kind), shortened, _TRIES_FOR_A_GROUP)


def _without_group(site: Site, row: KeyTriple, lists: Sequence[NamedNode]) -> Change | None:
    graph = site.graph
    heads = [head for name in lists for head in graph.objects(row[0], graph.key(name))]
    cells = _first_cells(graph, heads[0]) if len(heads) == 1 else []
    binding = {"axiom": row[0]}
    gone, added = [row], list[KeyTriple]()
    if len(cells) > _LONG_GROUP:
        cell = cells[int(site.random.random() * _LONG_GROUP)]
        gone, added = unlinked(graph, cell)
        binding["member"] = graph.objects(cell, graph.key(RDF.first))[0]
    removed = with_what_hangs_on(graph, gone, added)
    return Change(removed, added, binding) if site.pins.allow(graph, [*removed, *added]) else None


def _first_cells(graph: Graph, head: Key) -> list[Key]:
    """The first cells of a list, one more than the limit for a short list; empty if they do not form a list."""
    first, rest, nil = (graph.key(name) for name in (RDF.first, RDF.rest, RDF.nil))
    cells: list[Key] = []
    while head != nil and len(cells) <= _LONG_GROUP:
        following = graph.objects(head, rest)
        if len(following) != 1 or len(graph.objects(head, first)) != 1 or graph.count(None, None, head) != 1:
            return []
        cells.append(head)
        head = following[0]
    return cells


GROUPS = (
    described(
        """
name: RemoveAllDifferent
does: remove an axiom that several individuals differ; from a long one, only one individual
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 52
before:
  [] a owl:AllDifferent ; owl:distinctMembers ( :a :b :c ) .
  :a a owl:NamedIndividual .
after:
  :a a owl:NamedIndividual .
before:
  [] a owl:AllDifferent ; owl:members ( :a :b :c :d :e :f :g :h :i ) .
after:
  [] a owl:AllDifferent ; owl:members ( :a :b :d :e :f :g :h :i ) .
""",
        _group_removal(OWL.AllDifferent, (OWL.members, OWL.distinctMembers)),
    ),
    described(
        """
name: RemoveAllDisjointClasses
does: remove an axiom that several classes are disjoint; from a long one, only one class
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 9
before:
  [] a owl:AllDisjointClasses ; owl:members ( :Pump :Pipe :Robot ) .
  :Pump a owl:Class .
after:
  :Pump a owl:Class .
""",
        _group_removal(OWL.AllDisjointClasses, (OWL.members,)),
    ),
)
