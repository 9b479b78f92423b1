"""What the names of a graph are names of, whether or not anything declares them."""

from __future__ import annotations

from itertools import islice

import numpy as np

from kgprobe.comparison.model import Kind
from kgprobe.graph.axioms.name_kinds import DATA, OBJECT, OBJECT_PROPERTY_TYPES, NameKinds, is_reserved
from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.rows import Numbers
from kgprobe.graph.terms import OWL, RDF, RDFS, Literal, NamedNode, Term

__all__ = ["DECLARING", "KINDS", "KindFinder"]

# What it is if several are declared: the first of these.
KINDS = (*Kind,)

DECLARING: dict[Term, Kind] = {
    OWL.Class: Kind.CLASS,
    RDFS.Class: Kind.CLASS,
    OWL.ObjectProperty: Kind.OBJECT_PROPERTY,
    OWL.DatatypeProperty: Kind.DATA_PROPERTY,
    OWL.AnnotationProperty: Kind.ANNOTATION_PROPERTY,
    RDF.Property: Kind.PROPERTY,
    RDFS.Datatype: Kind.DATATYPE,
    OWL.NamedIndividual: Kind.INDIVIDUAL,
    OWL.Ontology: Kind.ONTOLOGY,
}
_SHOWING_PROPERTIES = {
    **dict.fromkeys(OBJECT_PROPERTY_TYPES, Kind.OBJECT_PROPERTY),
    OWL.FunctionalProperty: Kind.PROPERTY,
}
# Of a name that is used very often, its first uses show what it is.
_ENOUGH = 100


class KindFinder:
    """The kinds of one graph's names."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._type, self._below = graph.key(RDF.type), graph.key(RDFS.subClassOf)
        self._declaring = {graph.key(term): kind for term, kind in (DECLARING | _SHOWING_PROPERTIES).items()}
        self.properties = NameKinds(graph)
        # A graph that declares nothing is data, where each statement is a fact.
        self.is_ontology = any(graph.count(None, self._type, graph.key(kind)) for kind in DECLARING)

    def declared_codes(self, numbers: Numbers, count: int) -> Numbers:
        """For each of `count` numbers the place in `KINDS` of what its types say that it is; -1 without a type.

        `numbers` has the number of each term of the graph's table. The graph must be as it was loaded.
        """
        found = np.full(count, -1, dtype=np.int8)
        if type(self._type) is not int:
            return found
        columns = self._graph.table.by_predicate
        start, end = columns.span(self._type)
        types, subjects = (np.frombuffer(each, dtype=np.uint32)[start:end] for each in (columns.second, columns.third))
        codes = np.full(len(numbers), KINDS.index(Kind.INDIVIDUAL), dtype=np.int8)
        for key, kind in self._declaring.items():
            if type(key) is int:
                codes[key] = KINDS.index(kind)
        order = np.argsort(-codes[types], kind="stable")  # the first kinds come last, and stay
        found[numbers[subjects[order]]] = codes[types[order]]
        return found

    def declared(self, term: Term) -> Kind | None:
        """What the types of a name say that it is."""
        types = self._graph.objects(self._graph.key(term), self._type)
        return min((self._declaring.get(each, Kind.INDIVIDUAL) for each in types), key=KINDS.index, default=None)

    def kind(self, term: NamedNode) -> Kind | None:
        """What a name is; None if the graph does not speak of it."""
        if not self._graph.changed_keys and type(self._graph.key(term)) is not int:
            return None  # no triple has it
        return self.declared(term) or (None if is_reserved(term) else self._shown(term))

    def is_fact(self, predicate: NamedNode) -> bool:
        """Whether a statement with this predicate has a meaning in logic."""
        if not self.is_ontology:
            return True
        return bool(self.properties.get(predicate) & {OBJECT, DATA})

    def _shown(self, term: NamedNode) -> Kind | None:
        """What the places show where the name stands."""
        graph, key = self._graph, self._graph.key(term)
        if graph.count(None, self._type, key) or graph.count(key, self._below) or graph.count(None, self._below, key):
            return Kind.CLASS
        if graph.count(None, key):
            return self._used_as(key)
        if graph.count(key):
            return Kind.OTHER if self.is_ontology else Kind.INDIVIDUAL
        predicates = {graph.term(p) for _, p, _ in islice(graph.rows(None, None, key), _ENOUGH)}
        is_value = any(isinstance(p, NamedNode) and not is_reserved(p) and self.is_fact(p) for p in predicates)
        return Kind.INDIVIDUAL if is_value else None

    def _used_as(self, key: Key) -> Kind:
        """What the values of a predicate show."""
        if self.is_ontology:
            return Kind.ANNOTATION_PROPERTY
        values = (self._graph.term(o) for _, _, o in islice(self._graph.rows(None, key), _ENOUGH))
        return Kind.DATA_PROPERTY if all(type(value) is Literal for value in values) else Kind.OBJECT_PROPERTY
