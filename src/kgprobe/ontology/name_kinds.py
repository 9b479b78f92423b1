"""What each name of a graph is a name of, found when asked, and kept in step with the graph's changes.

This is `graph.axioms.entity_kinds` for a graph that changes. A declared kind is looked up. The kind of a property that
nothing declares is inferred from how the graph uses it; the uses are counted once, and the counts follow the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from kgprobe.graph.axioms.entity_kinds import (
    ANNOTATION,
    BUILT_IN,
    DATA,
    KIND_OF_TYPE,
    MOST_IN_RESTRICTION,
    OBJECT,
    OBJECT_PROPERTY_TYPES,
    is_reserved,
)
from kgprobe.graph.axioms.vocabulary import SWRL
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term

__all__ = ["KindChange", "NameKinds", "dependents"]

_PROPERTY_KINDS = frozenset({OBJECT, DATA, ANNOTATION})
_NOTHING: frozenset[str] = frozenset()
_FILLERS = (OWL.someValuesFrom, OWL.allValuesFrom)
# Where a name stands for a data range unless it is known to be a class.
_RANGES = (
    *_FILLERS,
    *(RDFS.range, RDF.first, OWL.equivalentClass, OWL.onDataRange, OWL.onDatatype, OWL.datatypeComplementOf),
    SWRL.dataRange,
)
# Where the kind of a property decides how a triple is read: with the property as subject, and as object.
_ABOUT_PROPERTIES = (
    *(RDF.type, RDFS.subPropertyOf, RDFS.domain, RDFS.range),
    *(OWL.equivalentProperty, OWL.propertyDisjointWith, OWL.inverseOf, OWL.propertyChainAxiom),
)
_TO_PROPERTIES = (
    *(RDFS.subPropertyOf, RDF.first, OWL.onProperty, OWL.assertionProperty, SWRL.propertyPredicate),
    *(OWL.equivalentProperty, OWL.propertyDisjointWith, OWL.inverseOf),
)


@dataclass(frozen=True, slots=True)
class KindChange:
    """What a change of the graph does to kinds: which names had others before, and what was counted again."""

    before: dict[Term, frozenset[str]]
    kinds: dict[Term, frozenset[str]]
    uses: dict[Term, Counter[str]]


class NameKinds:
    """The kinds of a graph's names, by `get`, as the reader of axioms asks for them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[Term, frozenset[str]] = {}
        self._uses: dict[Term, Counter[str]] = {}

    def get(self, term: Term, default: frozenset[str] = _NOTHING) -> frozenset[str]:
        if type(term) is not NamedNode:
            return default
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._kinds(self._graph, term, self._uses)
        return known

    def difference(self, later: Graph, changed: Iterable[KeyTriple]) -> KindChange:
        """What changes with these triples, in which the graph and its later state differ. Nothing is updated yet."""
        touched = _Touched(self._graph, later)
        for keys in changed:
            touched.note(keys)
        touched.spread()
        uses: dict[Term, Counter[str]] = {}
        for name in touched.names:
            counted = self._uses.get(name)
            if counted is not None:
                updated = Counter(counted)
                updated.subtract(touched.uses(self._graph, name))
                updated.update(touched.uses(later, name))
                uses[name] = updated
        before: dict[Term, frozenset[str]] = {}
        kinds: dict[Term, frozenset[str]] = {}
        for name in touched.names:
            kinds[name] = self._kinds(later, name, uses)
            if kinds[name] != self.get(name):
                before[name] = self.get(name)
        return KindChange(before, kinds, uses)

    def follow(self, change: KindChange) -> None:
        """The graph has changed: from now on the kinds are the later ones."""
        self._known.update(change.kinds)
        self._uses.update(change.uses)

    def _kinds(self, graph: Graph, name: Term, uses: dict[Term, Counter[str]]) -> frozenset[str]:
        found = _declared(graph, name)
        if found & _PROPERTY_KINDS or _is_reserved(name):
            return found
        if name not in uses:
            uses[name] = _all_uses(graph, name)
        return found | {kind for kind, count in uses[name].items() if count > 0}


def dependents(graph: Graph, name: Term, before: frozenset[str], after: frozenset[str]) -> Iterator[KeyTriple]:
    """The triples with this name that may be read in another way when its kinds change.

    A class has thousands of subclasses, and whether it is declared makes no difference to them: not all that mention
    the name depend on each of its kinds.
    """
    key, different = graph.key(name), before ^ after
    if "Datatype" in before | after and different & {"Class", "Datatype"}:
        yield from chain(graph.rows(key), graph.rows(None, None, key))
    elif "Class" in different:
        yield from chain.from_iterable(graph.rows(None, graph.key(predicate), key) for predicate in _RANGES)
    if different & _PROPERTY_KINDS:
        yield from chain.from_iterable(graph.rows(key, graph.key(predicate)) for predicate in _ABOUT_PROPERTIES)
        yield from chain.from_iterable(graph.rows(None, graph.key(predicate), key) for predicate in _TO_PROPERTIES)
        # What nothing says a kind of is taken for an annotation property.
        is_same_as_predicate = (before | after) & _PROPERTY_KINDS == {ANNOTATION} and not _is_reserved(name)
        if not is_same_as_predicate:
            yield from graph.rows(None, key)
    if "Variable" in different:
        yield from graph.rows(None, None, key)
    if "Ontology" in different:
        yield from graph.rows(key)


def _is_reserved(name: Term) -> bool:
    return type(name) is NamedNode and is_reserved(name)


class _Touched:
    """The names whose kinds a change may change, and the restrictions among their uses that it touches."""

    def __init__(self, before: Graph, after: Graph) -> None:
        self._graphs = (before, after)
        self.names: dict[NamedNode, None] = {}
        self._restrictions: dict[BlankNode, None] = {}
        self._fillers: dict[Term, None] = {}

    def note(self, keys: KeyTriple) -> None:
        subject, predicate, value = (self._graphs[0].term(key) for key in keys)
        if predicate == RDF.type:
            self._name(subject)
            if value in (OWL.Class, RDFS.Datatype):
                self._fillers[subject] = None
        elif predicate in (OWL.inverseOf, OWL.propertyChainAxiom, RDFS.range):
            self._name(subject)
        if predicate in (OWL.inverseOf, OWL.onProperty):
            self._name(value)
        if type(subject) is BlankNode:
            self._restrictions[subject] = None

    def spread(self) -> None:
        """From fillers that may be classes or datatypes now to the properties whose uses they decide."""
        for graph in self._graphs:
            for filler in self._fillers:
                key = graph.key(filler)
                for subject in graph.subjects(graph.key(RDFS.range), key):
                    self._name(graph.term(subject))
                for predicate in _FILLERS:
                    for subject in map(graph.term, graph.subjects(graph.key(predicate), key)):
                        if type(subject) is BlankNode:
                            self._restrictions[subject] = None
            for node in self._restrictions:
                for value in graph.objects(graph.key(node), graph.key(OWL.onProperty)):
                    self._name(graph.term(value))

    def uses(self, graph: Graph, name: Term) -> Counter[str]:
        """The uses of a name that this change may have changed."""
        found = _own_uses(graph, name)
        has, on_property, key = graph.has, graph.key(OWL.onProperty), graph.key(name)
        _count_restrictions(
            graph, found, (node for node in self._restrictions if has(graph.key(node), on_property, key))
        )
        return found

    def _name(self, term: Term) -> None:
        if type(term) is NamedNode:
            self.names[term] = None


def _declared(graph: Graph, name: Term) -> frozenset[str]:
    types = map(graph.term, graph.objects(graph.key(name), graph.key(RDF.type)))
    found = {KIND_OF_TYPE[kind] for kind in types if kind in KIND_OF_TYPE}
    if type(name) is NamedNode and name in BUILT_IN:
        found.add(BUILT_IN[name])
    return frozenset(found)


def _all_uses(graph: Graph, name: Term) -> Counter[str]:
    found = _own_uses(graph, name)
    nodes = map(graph.term, graph.subjects(graph.key(OWL.onProperty), graph.key(name)))
    _count_restrictions(graph, found, (node for node in nodes if type(node) is BlankNode))
    return found


def _count_restrictions(graph: Graph, uses: Counter[str], nodes: Iterable[BlankNode]) -> None:
    for node in nodes:
        shown = _filler_shows(graph, node)
        if shown is not None:
            uses[shown] += 1


def _own_uses(graph: Graph, name: Term) -> Counter[str]:
    """The uses that triples of the name itself make, besides restrictions."""
    key, inverse_of = graph.key(name), graph.key(OWL.inverseOf)
    types = map(graph.term, graph.objects(key, graph.key(RDF.type)))
    objects = sum(kind in OBJECT_PROPERTY_TYPES for kind in types)
    objects += graph.count(key, inverse_of, None) + graph.count(None, inverse_of, key)
    objects += graph.count(key, graph.key(OWL.propertyChainAxiom), None)
    ranges = map(graph.term, graph.objects(key, graph.key(RDFS.range)))
    return Counter({OBJECT: objects, DATA: sum(_is_datatype(graph, value) for value in ranges)})


def _filler_shows(graph: Graph, restriction: BlankNode) -> str | None:
    """The kind of property that a restriction shows its property to be."""
    key = graph.key(restriction)
    if graph.count(key) > MOST_IN_RESTRICTION:
        return None
    rows = sorted((graph.triple(keys) for keys in graph.rows(key)), key=str)
    for triple in rows:  # in this order: of contradicting ones, the reader of axioms believes the first
        predicate, value = triple.predicate, triple.object
        if predicate in (OWL.onClass, OWL.hasSelf):
            return OBJECT
        if predicate == OWL.onDataRange:
            return DATA
        if predicate == OWL.hasValue:
            return DATA if type(value) is Literal else OBJECT
        if predicate in _FILLERS:
            term: Term = value  # type: ignore[assignment]  # a triple term is neither of the two
            return DATA if _is_datatype(graph, term) else OBJECT if _is_class(graph, term) else None
    return None


def _is_datatype(graph: Graph, term: Term) -> bool:
    if type(term) is BlankNode:
        return graph.has(graph.key(term), graph.key(RDF.type), graph.key(RDFS.Datatype))
    if type(term) is NamedNode and term.value.startswith(XSD.iri):
        return True
    return _declared(graph, term) & {"Class", "Datatype"} == {"Datatype"}


def _is_class(graph: Graph, term: Term) -> bool:
    if type(term) is BlankNode:
        return not _is_datatype(graph, term)
    return _declared(graph, term) & {"Class", "Datatype"} == {"Class"}
