"""What each name of a graph is a name of: a class, a datatype, or one of three kinds of property.

Declarations say so. For a property without one, its use does where the use leaves no choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from kgprobe.graph.axioms.triple_index import TripleIndex
from kgprobe.graph.axioms.vocabulary import ENTITIES, SWRL
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term

__all__ = [
    "ANNOTATION",
    "BUILT_IN",
    "DATA",
    "KIND_OF_TYPE",
    "MOST_IN_RESTRICTION",
    "OBJECT",
    "OBJECT_PROPERTY_TYPES",
    "EntityKinds",
    "KnownKinds",
    "is_reserved",
]

OBJECT, DATA, ANNOTATION = "ObjectProperty", "DataProperty", "AnnotationProperty"

# A rule's variables and the ontology itself are no entities, but their types decide how other triples are read.
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

_PROPERTIES = frozenset({OBJECT, DATA, ANNOTATION})
_RANGED = frozenset({OBJECT, DATA})
_UNNAMED = frozenset({OBJECT})
_NONE: frozenset[str] = frozenset()
_BUILT_IN_KINDS: dict[Term, frozenset[str]] = {iri: frozenset({kind}) for iri, kind in BUILT_IN.items()}

# What a predicate of a restriction shows its property to be; None if that depends on its object.
_SHOWN_BY: dict[Term, str | None] = {
    OWL.onClass: OBJECT,
    OWL.hasSelf: OBJECT,
    OWL.onDataRange: DATA,
    OWL.hasValue: None,
    OWL.someValuesFrom: None,
    OWL.allValuesFrom: None,
}

# A restriction has four triples at most; looking through hostile ones again and again would take for ever.
MOST_IN_RESTRICTION = 8

_RESERVED = (OWL.iri, RDF.iri, RDFS.iri, XSD.iri, SWRL.iri)


def is_reserved(iri: NamedNode) -> bool:
    """Whether the name belongs to the languages themselves."""
    return iri.value.startswith(_RESERVED)


class KnownKinds(Protocol):
    """What the kinds of each name are; a dict is one."""

    def get(self, term: Term, default: frozenset[str], /) -> frozenset[str]: ...


class EntityKinds:
    """The kinds of the names in one graph."""

    def __init__(self, index: TripleIndex, known: KnownKinds | None = None) -> None:
        """`known` tells the kinds of all names, for an index that holds a part of a graph only."""
        self._index = index
        self._shown: dict[BlankNode, str | None] = {}
        self._kinds: KnownKinds = {} if known is None else known
        if known is None:
            self._kinds = self._found()

    def _found(self) -> dict[Term, frozenset[str]]:
        found = dict(_BUILT_IN_KINDS)
        self._kinds = found  # what is inferred depends on what is declared
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
        """Which kinds of property the term is; empty if nothing says that it is one."""
        if type(term) is BlankNode:
            return _UNNAMED  # only the inverse of an object property has no name
        return self._kinds.get(term, _NONE) & _PROPERTIES

    def is_datatype(self, term: Term) -> bool:
        """Whether the term can only be a data range."""
        if type(term) is BlankNode:
            return term in self._index.data_ranges
        if type(term) is NamedNode and term.value.startswith(XSD.iri):
            return True
        kinds = self._kinds.get(term, _NONE)
        return "Datatype" in kinds and "Class" not in kinds

    def is_class(self, term: Term) -> bool:
        """Whether the term can only be a class."""
        if type(term) is BlankNode:
            return not self.is_datatype(term)
        kinds = self._kinds.get(term, _NONE)
        return "Class" in kinds and "Datatype" not in kinds

    def common(self, terms: Iterable[Term], *, among: Iterable[str] = (OBJECT, DATA, ANNOTATION)) -> str | None:
        """The kind of property that all terms are, by the terms of which it is known; None if none or nothing is."""
        known = [kinds for term in terms if (kinds := self.properties(term))]
        if not known:
            return None
        shared = frozenset.intersection(*known)
        return next((kind for kind in among if kind in shared), None)

    def restricted(self, restriction: BlankNode, prop: Term) -> str | None:
        """Whether a restriction speaks of an object property or a data property; None if it contradicts itself."""
        shown = self._filler_shows(restriction)
        known = self.properties(prop) & _RANGED
        if shown is not None:
            return shown if not known or shown in known else None
        return DATA if known == {DATA} else OBJECT

    def _filler_shows(self, restriction: BlankNode) -> str | None:
        # What is a class or a datatype is declared, and never inferred: so the answer stays what it is.
        if restriction not in self._shown:
            self._shown[restriction] = self._look_at_filler(restriction)
        return self._shown[restriction]

    def _look_at_filler(self, restriction: BlankNode) -> str | None:
        numbers = self._index.about[restriction]
        if len(numbers) > MOST_IN_RESTRICTION:
            return None
        for number in numbers:
            _, predicate, value = self._index.statements[number]
            if predicate in _SHOWN_BY:
                shown = _SHOWN_BY[predicate]
                if shown is not None:
                    return shown
                if predicate == OWL.hasValue:
                    return DATA if type(value) is Literal else OBJECT
                return DATA if self.is_datatype(value) else OBJECT if self.is_class(value) else None
        return None

    def _is_inferable(self, term: Term) -> bool:
        # A name of the languages themselves does not become a property by standing in a property's place.
        return type(term) is NamedNode and not is_reserved(term) and not self.properties(term)

    def _inferred(self) -> Iterable[tuple[Term, str]]:
        stating = self._index.stating
        for subject, _, value in stating(RDF.type):
            if value in OBJECT_PROPERTY_TYPES:
                yield subject, OBJECT
        for subject, _, value in stating(OWL.inverseOf):
            yield subject, OBJECT
            yield value, OBJECT
        for subject, _, _ in stating(OWL.propertyChainAxiom):
            yield subject, OBJECT
        for subject, _, value in stating(RDFS.range):
            if self.is_datatype(value):
                yield subject, DATA
        for subject, _, value in stating(OWL.onProperty):
            if type(subject) is BlankNode:
                shown = self._filler_shows(subject)
                if shown is not None:
                    yield value, shown


def _note(kinds: dict[Term, frozenset[str]], found: Iterable[tuple[Term, str]]) -> None:
    for term, kind in found:
        if type(term) is NamedNode:
            kinds[term] = kinds.get(term, frozenset()) | {kind}
