"""The classes, properties and individuals that a graph mentions.

An ontology shows the kind of its terms: they are declared, or are in a place where only a class, or only an individual,
can be. A graph that is not an ontology declares nothing. There, a predicate with nodes as objects links individuals, a
predicate with literals describes them, and the object of `rdf:type` is a class.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgprobe.owl.grammar import SWRL
from kgprobe.owl.name_kinds import OBJECT_PROPERTY_TYPES, is_reserved
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Term

__all__ = ["Entities", "entities"]

_CLASS_TYPES = (OWL.Class, RDFS.Class)
_OBJECT_PROPERTY_TYPES = (OWL.ObjectProperty, *OBJECT_PROPERTY_TYPES)
# Predicates that show a name to be a class: as their subject, as their object, or in the list that is their object.
_SUBJECT_IS_CLASS = (RDFS.subClassOf, OWL.disjointUnionOf, OWL.hasKey)
_OBJECT_IS_CLASS = (RDFS.subClassOf, RDFS.domain, OWL.onClass, OWL.complementOf, OWL.disjointWith)
_LIST_OF_CLASSES = (OWL.disjointUnionOf,)
# Here it may be a datatype as well.
_OBJECT_IS_CLASS_OR_DATATYPE = (RDFS.range, OWL.someValuesFrom, OWL.allValuesFrom, OWL.equivalentClass)
_LIST_OF_CLASSES_OR_DATATYPES = (OWL.intersectionOf, OWL.unionOf)
_INDIVIDUAL_LINKS = (OWL.sameAs, OWL.differentFrom)
_OBJECT_IS_INDIVIDUAL = (OWL.sourceIndividual, OWL.targetIndividual, OWL.hasValue)


@dataclass(frozen=True)
class Entities:
    """The named things of a graph by kind; none of them is from RDF's or OWL's own vocabulary."""

    classes: frozenset[Term]
    object_properties: frozenset[Term]
    data_properties: frozenset[Term]
    annotation_properties: frozenset[Term]
    datatypes: frozenset[Term]
    individuals: frozenset[Term]


def entities(graph: Graph) -> Entities:
    """The entities of a graph."""
    look = _Look(graph)
    if not look.is_ontology():
        return look.plain()
    return look.ontology()


class _Look:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._own = {term for term in graph.terms() if isinstance(term, NamedNode) and not is_reserved(term)}

    def is_ontology(self) -> bool:
        kinds = (OWL.Ontology, OWL.Class, *_OBJECT_PROPERTY_TYPES, OWL.DatatypeProperty, OWL.AnnotationProperty)
        return any(self._with_type(kind) for kind in kinds)

    def plain(self) -> Entities:
        own = self._own
        classes = self._objects(RDF.type) | self._with_types(_CLASS_TYPES) | self._ends((RDFS.subClassOf,))
        links: set[Term] = set()
        descriptions: set[Term] = set()
        for predicate in {row[1] for row in self._graph.rows()}:
            term = self._graph.term(predicate)
            if term in own:
                objects = (self._graph.term(o) for _, _, o in self._graph.rows(None, predicate, None))
                (descriptions if all(isinstance(o, Literal) for o in objects) else links).add(term)
        individuals = self._subjects(RDF.type) | {
            end for predicate in links | descriptions for end in self._ends((predicate,))
        }
        return Entities(
            classes=frozenset(classes & own),
            object_properties=frozenset(links),
            data_properties=frozenset(descriptions),
            annotation_properties=frozenset(),
            datatypes=frozenset(self._with_type(RDFS.Datatype) & own),
            individuals=frozenset((individuals & own) - classes - links - descriptions),
        )

    def ontology(self) -> Entities:
        own = self._own
        object_properties = self._with_types(_OBJECT_PROPERTY_TYPES)
        object_properties |= self._values(SWRL.IndividualPropertyAtom, SWRL.propertyPredicate)
        data_properties = self._with_type(OWL.DatatypeProperty)
        data_properties |= self._values(SWRL.DatavaluedPropertyAtom, SWRL.propertyPredicate)
        datatypes = self._with_type(RDFS.Datatype) & own
        classes = self._classes(datatypes)
        individuals = self._with_type(OWL.NamedIndividual) | self._ends(_INDIVIDUAL_LINKS)
        for predicate in _OBJECT_IS_INDIVIDUAL:
            individuals |= self._objects(predicate)
        individuals |= self._members(self._objects(OWL.oneOf)) | self._instances(classes)
        for members in (OWL.members, OWL.distinctMembers):
            individuals |= self._members(self._values(OWL.AllDifferent, members))
        for argument in (SWRL.argument1, SWRL.argument2):
            individuals |= self._objects(argument) - self._with_type(SWRL.Variable)
        individuals |= self._ends(object_properties | data_properties)
        return Entities(
            classes=frozenset(classes),
            object_properties=frozenset(object_properties & own),
            data_properties=frozenset(data_properties & own),
            annotation_properties=frozenset(self._with_type(OWL.AnnotationProperty) & own),
            datatypes=frozenset(datatypes),
            individuals=frozenset(individuals & own),
        )

    def _classes(self, datatypes: set[Term]) -> set[Term]:
        ontologies = self._with_type(OWL.Ontology)
        classes = self._with_types(_CLASS_TYPES) | self._objects(SWRL.classPredicate)
        classes |= self._members(self._values(OWL.AllDisjointClasses, OWL.members))
        for predicate in _SUBJECT_IS_CLASS:
            classes |= self._subjects(predicate)
        for predicate in _OBJECT_IS_CLASS:
            classes |= self._objects(predicate)
        for predicate in _LIST_OF_CLASSES:
            classes |= self._members(self._objects(predicate))
        unsure = set()
        for predicate in _OBJECT_IS_CLASS_OR_DATATYPE:
            unsure |= self._objects(predicate)
        for predicate in _LIST_OF_CLASSES_OR_DATATYPES:
            unsure |= self._members(self._objects(predicate))
        classes |= unsure - datatypes
        # The object of rdf:type is a class, if it has an instance that is not the ontology itself.
        return (classes | self._objects(RDF.type) - datatypes) & self._own - ontologies

    def _instances(self, classes: set[Term]) -> set[Term]:
        rdf_type = self._graph.key(RDF.type)
        found = {s for kind in classes for s in self._graph.subjects(rdf_type, self._graph.key(kind))}
        return set(map(self._graph.term, found))

    def _with_type(self, kind: NamedNode) -> set[Term]:
        graph = self._graph
        return set(map(graph.term, graph.subjects(graph.key(RDF.type), graph.key(kind))))

    def _with_types(self, kinds: Iterable[NamedNode]) -> set[Term]:
        return {term for kind in kinds for term in self._with_type(kind)}

    def _subjects(self, predicate: Term) -> set[Term]:
        return {
            self._graph.term(s) for s in {s for s, _, _ in self._graph.rows(None, self._graph.key(predicate), None)}
        }

    def _objects(self, predicate: Term) -> set[Term]:
        return {
            self._graph.term(o) for o in {o for _, _, o in self._graph.rows(None, self._graph.key(predicate), None)}
        }

    def _ends(self, predicates: Iterable[Term]) -> set[Term]:
        return {term for predicate in predicates for term in self._subjects(predicate) | self._objects(predicate)}

    def _values(self, kind: NamedNode, predicate: NamedNode) -> set[Term]:
        """The values of a predicate on nodes of this type."""
        key = self._graph.key
        nodes = self._graph.subjects(key(RDF.type), key(kind))
        return {self._graph.term(o) for node in nodes for o in self._graph.objects(node, key(predicate))}

    def _members(self, heads: Iterable[Term]) -> set[Term]:
        """The members of the lists that begin at these nodes; a broken list has none."""
        found: set[Term] = set()
        for head in heads:
            try:
                found.update(read_list(self._graph, head).members)
            except BrokenListError:
                continue
        return found
