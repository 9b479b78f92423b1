"""The kind of each name of a graph: class, datatype, one of three kinds of property, variable, or ontology.

Declarations state it. The kind of an undeclared property follows from its use, where the use leaves no choice. A name
may have several kinds. The kinds decide how triples are read as axioms; both classes here follow the same rules:

- `EntityKinds` finds the kinds of all names in a set of triples at once.
- `NameKinds` finds the kinds of a name in a graph when asked, and follows the changes of the graph. A declared kind is
  looked up. For an undeclared property, the uses that show its kind are counted once, and the counts follow the
  changes.

Two modules answer different questions. `ontology.entities` lists the classes, properties and individuals that a graph
mentions, declared or not, and also for graphs that are not ontologies. `comparison` picks the one kind under which it
lists the differences of a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Protocol

from kgprobe.owl.grammar import ENTITIES, SWRL
from kgprobe.owl.triple_index import TripleIndex
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term

__all__ = [
    "ANNOTATION",
    "BUILT_IN",
    "DATA",
    "OBJECT",
    "OBJECT_PROPERTY_TYPES",
    "EntityKinds",
    "KnownKinds",
    "NameKinds",
    "is_reserved",
]

OBJECT, DATA, ANNOTATION = "ObjectProperty", "DataProperty", "AnnotationProperty"

# Variables and ontologies are not entities, but their types decide how other triples are read.
KIND_OF_TYPE: dict[Term, str] = {
    **{iri: kind for kind, iri in ENTITIES.items()},
    SWRL.Variable: "Variable",
    OWL.Ontology: "Ontology",
}

BUILT_IN: dict[NamedNode, str] = {
    OWL.Thing: "Class",
    OWL.Nothing: "Class",
    RDFS.Literal: "Datatype",
    RDF.PlainLiteral: "Datatype",
    RDF.XMLLiteral: "Datatype",
    RDF.langString: "Datatype",
    OWL.real: "Datatype",
    OWL.rational: "Datatype",
    OWL.topObjectProperty: OBJECT,
    OWL.bottomObjectProperty: OBJECT,
    OWL.topDataProperty: DATA,
    OWL.bottomDataProperty: DATA,
    **dict.fromkeys((RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy), ANNOTATION),
    **dict.fromkeys((OWL.versionInfo, OWL.deprecated, OWL.priorVersion), ANNOTATION),
    **dict.fromkeys((OWL.backwardCompatibleWith, OWL.incompatibleWith), ANNOTATION),
}

OBJECT_PROPERTY_TYPES = frozenset(
    {
        OWL.InverseFunctionalProperty,
        OWL.ReflexiveProperty,
        OWL.IrreflexiveProperty,
        OWL.SymmetricProperty,
        OWL.AsymmetricProperty,
        OWL.TransitiveProperty,
    }
)

PROPERTIES = frozenset({OBJECT, DATA, ANNOTATION})
_RANGED = frozenset({OBJECT, DATA})
_UNNAMED = frozenset({OBJECT})
_NONE: frozenset[str] = frozenset()
_BUILT_IN_KINDS: dict[Term, frozenset[str]] = {iri: frozenset({kind}) for iri, kind in BUILT_IN.items()}

# The kind of property that a predicate of a restriction shows; None if that depends on its object.
_SHOWN_BY: dict[Term, str | None] = {
    OWL.onClass: OBJECT,
    OWL.hasSelf: OBJECT,
    OWL.onDataRange: DATA,
    OWL.hasValue: None,
    OWL.someValuesFrom: None,
    OWL.allValuesFrom: None,
}

# A restriction has four triples at most; looking through hostile ones again and again would take too long.
MOST_IN_RESTRICTION = 8

_RESERVED = (OWL.iri, RDF.iri, RDFS.iri, XSD.iri, SWRL.iri)


def is_reserved(iri: NamedNode) -> bool:
    """Whether the name belongs to the vocabulary of RDF, OWL or a related language."""
    return iri.value.startswith(_RESERVED)


class KnownKinds(Protocol):
    """The kinds of each name; a dict is one."""

    def get(self, term: Term, default: frozenset[str], /) -> frozenset[str]: ...


class EntityKinds:
    """The kinds of the names in one graph."""

    def __init__(self, index: TripleIndex, known: KnownKinds | None = None) -> None:
        """`known` has the kinds of all names, for an index that holds only a part of a graph."""
        self._index = index
        self._shown: dict[BlankNode, str | None] = {}
        self._kinds: KnownKinds = {} if known is None else known
        if known is None:
            self._kinds = self._found()

    def _found(self) -> dict[Term, frozenset[str]]:
        found = dict(_BUILT_IN_KINDS)
        self._kinds = found  # inferred kinds depend on declared ones
        declared = [
            (subject, KIND_OF_TYPE[value])
            for subject, _, value in self._index.stating(RDF.type)
            if value in KIND_OF_TYPE
        ]
        _note(found, declared)
        _note(found, [(term, kind) for term, kind in self._inferred() if self._is_inferable(term)])
        return found

    @property
    def known(self) -> KnownKinds:
        """The kinds of all names: for reading a part of the graph later."""
        return self._kinds

    def of(self, term: Term) -> frozenset[str]:
        """All kinds of a name."""
        return self._kinds.get(term, _NONE)

    def is_variable(self, term: Term) -> bool:
        """Whether the term is a variable of rules."""
        if type(term) is BlankNode:
            return (term, RDF.type, SWRL.Variable) in self._index.numbers
        return "Variable" in self._kinds.get(term, _NONE)

    def is_ontology(self, term: Term) -> bool:
        """Whether the term is the name of an ontology."""
        return type(term) is NamedNode and "Ontology" in self._kinds.get(term, _NONE)

    def properties(self, term: Term) -> frozenset[str]:
        """The kinds of property that the term is; empty if nothing shows that it is one."""
        if type(term) is BlankNode:
            return _UNNAMED  # only the inverse of an object property has no name
        return self._kinds.get(term, _NONE) & PROPERTIES

    def is_datatype(self, term: Term) -> bool:
        """Whether the term can only be a data range."""
        if type(term) is BlankNode:
            return term in self._index.data_ranges
        if type(term) is NamedNode and term.value.startswith(XSD.iri):
            return True
        return _is_only("Datatype", self._kinds.get(term, _NONE))

    def is_class(self, term: Term) -> bool:
        """Whether the term can only be a class."""
        if type(term) is BlankNode:
            return not self.is_datatype(term)
        return _is_only("Class", self._kinds.get(term, _NONE))

    def common(self, terms: Iterable[Term], *, among: Iterable[str] = (OBJECT, DATA, ANNOTATION)) -> str | None:
        """The common kind of property of all terms, judged by those of known kind; None if there is none."""
        known = [kinds for term in terms if (kinds := self.properties(term))]
        if not known:
            return None
        shared = frozenset.intersection(*known)
        return next((kind for kind in among if kind in shared), None)

    def restricted(self, restriction: BlankNode, prop: Term) -> str | None:
        """Whether a restriction is on an object property or a data property; None if it contradicts itself."""
        shown = self._filler_shows(restriction)
        known = self.properties(prop) & _RANGED
        if shown is not None:
            return shown if not known or shown in known else None
        return DATA if known == {DATA} else OBJECT

    def _filler_shows(self, restriction: BlankNode) -> str | None:
        # Classes and datatypes are declared, never inferred, so the answer does not change.
        if restriction not in self._shown:
            self._shown[restriction] = self._look_at_filler(restriction)
        return self._shown[restriction]

    def _look_at_filler(self, restriction: BlankNode) -> str | None:
        numbers = self._index.about[restriction]
        if len(numbers) > MOST_IN_RESTRICTION:
            return None
        statements = self._index.statements
        return _shown_by((statements[number][1:] for number in numbers), self.is_datatype, self.is_class)

    def _is_inferable(self, term: Term) -> bool:
        # A name of the RDF and OWL vocabularies does not become a property because it is in a property's place.
        return type(term) is NamedNode and not is_reserved(term) and not self.properties(term)

    def _inferred(self) -> Iterable[tuple[Term, str]]:
        stating = self._index.stating
        for predicate in _SHOWING:
            for subject, _, value in stating(predicate):
                yield from _shown_by_triple(subject, predicate, value, self.is_datatype)
        for subject, _, value in stating(OWL.onProperty):
            if type(subject) is BlankNode:
                shown = self._filler_shows(subject)
                if shown is not None:
                    yield value, shown


# The predicates of triples that show the kind of a property, besides those of restrictions.
_SHOWING = (RDF.type, OWL.inverseOf, OWL.propertyChainAxiom, RDFS.range)


def _shown_by_triple(
    subject: Any, predicate: Term, value: Any, is_datatype: Callable[[Any], bool]
) -> Iterator[tuple[Any, str]]:
    """What a triple with one of these predicates shows to be a property, and of which kind."""
    if predicate == RDF.type:
        if value in OBJECT_PROPERTY_TYPES:
            yield subject, OBJECT
    elif predicate == RDFS.range:
        if is_datatype(value):
            yield subject, DATA
    else:
        yield subject, OBJECT
        if predicate == OWL.inverseOf:
            yield value, OBJECT


def _is_only(kind: str, kinds: frozenset[str]) -> bool:
    """Whether a name of these kinds is a class and not a datatype, or the other way round."""
    return kinds & {"Class", "Datatype"} == {kind}


def _shown_by(
    facts: Iterable[tuple[NamedNode, Any]], is_datatype: Callable[[Any], bool], is_class: Callable[[Any], bool]
) -> str | None:
    """The kind of property that a restriction shows its property to be; of contradicting triples, the first decides.

    `facts` are the predicates and objects of the restriction's triples; triple terms show nothing.
    """
    for predicate, value in facts:
        if predicate in _SHOWN_BY:
            shown = _SHOWN_BY[predicate]
            if shown is not None:
                return shown
            if predicate == OWL.hasValue:
                return DATA if type(value) is Literal else OBJECT
            return DATA if is_datatype(value) else OBJECT if is_class(value) else None
    return None


def _note(kinds: dict[Term, frozenset[str]], found: Iterable[tuple[Term, str]]) -> None:
    for term, kind in found:
        if type(term) is NamedNode:
            kinds[term] = kinds.get(term, frozenset()) | {kind}


# -- found when asked, and following changes ---------------

_FILLERS = (OWL.someValuesFrom, OWL.allValuesFrom)
# Predicates whose object is a data range unless it is known to be a class.
_RANGES = (
    *_FILLERS,
    *(RDFS.range, RDF.first, OWL.equivalentClass, OWL.onDataRange, OWL.onDatatype, OWL.datatypeComplementOf),
    SWRL.dataRange,
)
# Predicates of triples whose reading depends on the kind of a property: with it as subject, and as object.
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
    """The effect of a change on kinds: the former kinds of names whose kinds change, the new kinds, and the counts."""

    before: dict[Term, frozenset[str]]
    kinds: dict[Term, frozenset[str]]
    uses: dict[Term, Counter[str]]


class NameKinds:
    """The kinds of a graph's names; `get` finds them when asked."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[Term, frozenset[str]] = {}
        self._uses: dict[Term, Counter[str]] = {}

    def get(self, term: Term, default: frozenset[str] = _NONE) -> frozenset[str]:
        if type(term) is not NamedNode:
            return default
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._kinds(self._graph, term, self._uses)
        return known

    def difference(self, later: Graph, changed: Iterable[KeyTriple]) -> KindChange:
        """The effect of these triples, in which the graph and its later state differ. Nothing is updated yet."""
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
        """Switch to the later kinds, after the graph has changed."""
        self._known.update(change.kinds)
        self._uses.update(change.uses)

    def _kinds(self, graph: Graph, name: Term, uses: dict[Term, Counter[str]]) -> frozenset[str]:
        found = _declared(graph, name)
        if found & PROPERTIES or _is_reserved(name):
            return found
        if name not in uses:
            uses[name] = _all_uses(graph, name)
        return found | {kind for kind, count in uses[name].items() if count > 0}


def dependents(graph: Graph, name: Term, before: frozenset[str], after: frozenset[str]) -> Iterator[KeyTriple]:
    """The triples with this name that may be read differently when its kinds change.

    A class has thousands of subclasses, and whether it is declared makes no difference to them: not all that mention
    the name depend on each of its kinds.
    """
    key, different = graph.key(name), before ^ after
    if "Datatype" in before | after and different & {"Class", "Datatype"}:
        yield from chain(graph.rows(key), graph.rows(None, None, key))
    elif "Class" in different:
        yield from chain.from_iterable(graph.rows(None, graph.key(predicate), key) for predicate in _RANGES)
    if different & PROPERTIES:
        yield from chain.from_iterable(graph.rows(key, graph.key(predicate)) for predicate in _ABOUT_PROPERTIES)
        yield from chain.from_iterable(graph.rows(None, graph.key(predicate), key) for predicate in _TO_PROPERTIES)
        # A predicate of unknown kind counts as an annotation property.
        is_same_as_predicate = (before | after) & PROPERTIES == {ANNOTATION} and not _is_reserved(name)
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
        if predicate in _SHOWING:
            for name, _ in _shown_by_triple(subject, predicate, value, lambda _: True):
                self._name(name)
        elif predicate == OWL.onProperty:
            self._name(value)
        if type(subject) is BlankNode:
            self._restrictions[subject] = None

    def spread(self) -> None:
        """From fillers that may now be classes or datatypes to the properties whose uses they decide."""
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

    def _name(self, term: object) -> None:
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
    key, is_datatype = graph.key(name), partial(_is_datatype, graph)
    rows = [graph.rows(key, graph.key(predicate)) for predicate in _SHOWING]
    return Counter(
        kind
        for triple in map(graph.triple, chain(*rows, graph.rows(None, graph.key(OWL.inverseOf), key)))
        for shown, kind in _shown_by_triple(triple.subject, triple.predicate, triple.object, is_datatype)
        if shown == name
    )


def _filler_shows(graph: Graph, restriction: BlankNode) -> str | None:
    """The kind of property that a restriction shows its property to be."""
    key = graph.key(restriction)
    if graph.count(key) > MOST_IN_RESTRICTION:
        return None
    # In the order of their text, as in an index.
    triples = sorted((graph.triple(keys) for keys in graph.rows(key)), key=str)
    return _shown_by(
        ((triple.predicate, triple.object) for triple in triples),
        partial(_is_datatype, graph),
        partial(_is_class, graph),
    )


def _is_datatype(graph: Graph, term: Term) -> bool:
    if type(term) is BlankNode:
        return graph.has(graph.key(term), graph.key(RDF.type), graph.key(RDFS.Datatype))
    if type(term) is NamedNode and term.value.startswith(XSD.iri):
        return True
    return _is_only("Datatype", _declared(graph, term))


def _is_class(graph: Graph, term: Term) -> bool:
    if type(term) is BlankNode:
        return not _is_datatype(graph, term)
    return _is_only("Class", _declared(graph, term))
