"""Names: those in a query and what each stands for, how near two are, and which the ontology has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from kgprobe.queries.schema import Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Namespace
from kgprobe.sparql.algebra import (
    Constant,
    Document,
    Modify,
    NamedTerm,
    Operation,
    PlacedTriple,
    QueryTree,
    Span,
    Values,
)
from kgprobe.sparql.traversal import walk

_RDF = """
    Alt Bag CompoundLiteral HTML JSON List PlainLiteral Property Seq Statement XMLLiteral direction dirLangString first
    langString language nil object predicate reifies rest subject type value
"""
_RDFS = """
    Class Container ContainerMembershipProperty Datatype Literal Resource comment domain isDefinedBy label member range
    seeAlso subClassOf subPropertyOf Proposition
"""
_OWL = """
    AllDifferent AllDisjointClasses AllDisjointProperties Annotation AnnotationProperty AsymmetricProperty Axiom Class
    DataRange DatatypeProperty DeprecatedClass DeprecatedProperty FunctionalProperty InverseFunctionalProperty
    IrreflexiveProperty NamedIndividual NegativePropertyAssertion Nothing ObjectProperty Ontology OntologyProperty
    ReflexiveProperty Restriction SymmetricProperty TransitiveProperty Thing allValuesFrom annotatedProperty
    annotatedSource annotatedTarget assertionProperty backwardCompatibleWith bottomDataProperty bottomObjectProperty
    cardinality complementOf datatypeComplementOf deprecated differentFrom disjointUnionOf disjointWith distinctMembers
    equivalentClass equivalentProperty hasKey hasSelf hasValue imports incompatibleWith intersectionOf inverseOf
    maxCardinality maxQualifiedCardinality members minCardinality minQualifiedCardinality onClass onDataRange
    onDatatype onProperties onProperty oneOf priorVersion propertyChainAxiom propertyDisjointWith qualifiedCardinality
    rational real sameAs someValuesFrom sourceIndividual targetIndividual targetValue topDataProperty topObjectProperty
    unionOf versionIRI versionInfo withRestrictions
"""
_XSD = """
    ENTITIES ENTITY ID IDREF IDREFS NCName NMTOKEN NMTOKENS NOTATION Name QName anyAtomicType anySimpleType anyType
    anyURI base64Binary boolean byte date dateTime dateTimeStamp dayTimeDuration decimal double duration float
    fractionDigits gDay gMonth gMonthDay gYear gYearMonth hexBinary int integer language length long maxExclusive
    maxInclusive maxLength minExclusive minInclusive minLength negativeInteger nonNegativeInteger nonPositiveInteger
    normalizedString pattern positiveInteger short string time token totalDigits unsignedByte unsignedInt unsignedLong
    unsignedShort whiteSpace yearMonthDuration
"""

VOCABULARIES = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)

BUILT_IN_NAMES: frozenset[NamedNode] = frozenset(
    space[name] for space, names in ((RDF, _RDF), (RDFS, _RDFS), (OWL, _OWL), (XSD, _XSD)) for name in names.split()
)

LINKS_TO_NODES: frozenset[NamedNode] = frozenset(
    {RDF.type, RDF.rest, RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range, OWL.sameAs, OWL.differentFrom}
    | {OWL.equivalentClass, OWL.equivalentProperty, OWL.disjointWith, OWL.inverseOf, OWL.propertyDisjointWith}
    | {OWL.complementOf, OWL.unionOf, OWL.intersectionOf, OWL.onProperty, OWL.onClass, OWL.imports}
)
"""Properties of these vocabularies whose values are not literals, unless the data are odd."""


# -- uses --------------------------------------------------------------------------------------------------------------


class NameRole(Enum):
    """What a name stands for in its place."""

    PROPERTY = "property"
    CLASS = "class"
    INDIVIDUAL = "individual"
    VALUE = "value"  # in a condition: it may be anything
    DATATYPE = "datatype"


@dataclass(frozen=True)
class NameUse:
    """A name in a query, and what it stands for there. A name in a template of INSERT may be new."""

    named: NamedTerm
    role: NameRole
    is_written: bool = False
    triple: PlacedTriple | None = None
    operation: int = 0  # its number in the text


_ABOUT_CLASSES = {RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.complementOf}
_TO_CLASSES = {RDF.type, RDFS.domain, RDFS.range, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass} | _ABOUT_CLASSES
_ABOUT_PROPERTIES = {RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyDisjointWith}
_TO_PROPERTIES = {OWL.onProperty} | _ABOUT_PROPERTIES


def uses_of_names(document: Document) -> list[NameUse]:
    """The names of a query that stand for something in the ontology or the data, in the order of the text."""
    names = _Names(document.terms)
    for number, operation in enumerate(document.operations):
        names.operation = number
        written = set(map(id, _written(operation)))
        for part in walk([operation]):
            if isinstance(part, PlacedTriple):
                names.triple(part, is_written=id(part) in written)
            elif isinstance(part, Constant):
                names.constant(part)
            elif isinstance(part, Values):
                names.values(part)
    return sorted(names.found, key=lambda use: use.named.start)


def _written(operation: Operation) -> Iterator[PlacedTriple]:
    """The triples of a template that are not also in the pattern."""
    if isinstance(operation, Modify):
        for graph in operation.inserted:
            yield from graph.triples
    elif isinstance(operation, QueryTree) and operation.where is not None:
        yield from () if operation.where.elements == operation.template else operation.template


class _Names:
    def __init__(self, terms: Iterable[NamedTerm]) -> None:
        self._terms = {named.start: named for named in terms}
        self._starts = sorted(self._terms)
        self.found: list[NameUse] = []
        self.operation = 0

    def _add(
        self, named: NamedTerm, role: NameRole, *, is_written: bool = False, triple: PlacedTriple | None = None
    ) -> None:
        self.found.append(NameUse(named, role, is_written, triple, self.operation))

    def _note(self, span: Span, term: object, role: NameRole, triple: PlacedTriple, *, is_written: bool) -> None:
        named = self._terms.get(span.start)
        if named is not None and named.term == term:
            self._add(named, role, is_written=is_written, triple=triple)
        elif isinstance(term, Literal):
            self._datatype(span, term)

    def _datatype(self, span: Span, literal: Literal) -> None:
        for named in self._within(span):
            if named.term == literal.datatype:
                self._add(named, NameRole.DATATYPE)

    def _within(self, span: Span) -> Iterator[NamedTerm]:
        return (self._terms[start] for start in self._starts if span.start <= start < span.end)

    def triple(self, triple: PlacedTriple, *, is_written: bool = False) -> None:
        predicate = triple.predicate
        if not isinstance(predicate, Variable):
            for named in self._within(triple.predicate_span):
                self._add(named, NameRole.PROPERTY, is_written=is_written, triple=triple)
        roles = _roles(predicate)
        self._note(triple.subject_span, triple.subject, roles[0], triple, is_written=is_written)
        self._note(triple.object_span, triple.object, roles[1], triple, is_written=is_written)

    def constant(self, constant: Constant) -> None:
        named = self._terms.get(constant.span.start)
        if isinstance(constant.term, Literal):
            self._datatype(constant.span, constant.term)
        elif named is not None and named.term == constant.term:
            self._add(named, NameRole.VALUE)

    def values(self, values: Values) -> None:
        terms = {term for row in values.rows for term in row if isinstance(term, NamedNode)}
        for named in self._within(values.span):
            if named.term in terms:
                self._add(named, NameRole.VALUE)


def _roles(predicate: object) -> tuple[NameRole, NameRole]:
    """What subject and object stand for."""
    first = second = NameRole.INDIVIDUAL
    if predicate in _ABOUT_CLASSES:
        first = NameRole.CLASS
    elif predicate in _ABOUT_PROPERTIES or predicate in (RDFS.domain, RDFS.range):
        first = NameRole.PROPERTY
    if predicate in _TO_CLASSES:
        second = NameRole.CLASS
    elif predicate in _TO_PROPERTIES:
        second = NameRole.PROPERTY
    return first, second


# -- how near two names are --------------------------------------------------------------------------------------------

_DIGITS = re.compile(r"\d+")
_SHORTEST = 3  # `?a` and `?b` are never slips of each other
_FARTHEST = 4
_SHORTEST_WORD = 5


def is_near(one: str, other: str) -> bool:
    """Whether names differ, but by few characters for their length."""
    longer = max(len(one), len(other))
    if one == other or min(len(one), len(other)) < _SHORTEST:
        return False
    limit = 1 if longer < 8 else 2 if longer < 12 else min(longer // 4, _FARTHEST)
    return abs(len(one) - len(other)) <= limit and distance(one, other) <= limit


def is_other_number(one: str, other: str) -> bool:
    """Whether names differ only in their numbers, which is seldom a slip: `?user1` and `?user2`."""
    return one != other and _DIGITS.sub("0", one) == _DIGITS.sub("0", other)


def is_other_letter(one: str, other: str) -> bool:
    """Whether short names differ in a letter, so that both may be words: `?data` and `?date`."""
    is_swap = sorted(one.casefold()) == sorted(other.casefold())
    return len(one) == len(other) < _SHORTEST_WORD and not is_swap


def is_other_word(one: str, other: str) -> bool:
    """Whether a name is another with more at its ends, as `?sampler` is to `?sample`. A doubled letter is a slip."""
    short, long = sorted((one, other), key=len)
    has_more = long.startswith(short) or long.endswith(short)
    return is_other_number(one, other) or (has_more and long not in (short + short[-1:], short[:1] + short))


def distance(one: str, other: str) -> int:
    """How many characters were forgotten, added, replaced, or swapped with the next."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, wanted in enumerate(other, start=1):
            costs = [last[column] + 1, current[-1] + 1, last[column - 1] + (letter != wanted)]
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                costs.append(before[column - 2] + 1)
            current.append(min(costs))
        before, last = last, current
    return last[-1]


# -- namespaces --------------------------------------------------------------------------------------------------------

_VANN = Namespace("http://purl.org/vocab/vann/")
_LOCAL = re.compile(r"[^#/:]*$")
_NEAR_NAMESPACE = 2  # characters


def namespace_of(name: NamedNode) -> str:
    """The IRI of a name without its last part."""
    return _LOCAL.sub("", name.value)


@lru_cache(maxsize=8)
def own_namespaces(schema: Schema) -> frozenset[str]:
    """The namespaces that the ontology defines.

    That of its IRI, its preferred namespace, those of the names that it claims with rdfs:isDefinedBy, and the one with
    most of its names.
    """
    found: set[str] = set()
    for iri in schema.iris:
        base = iri.value.rstrip("#/")
        found |= {f"{base}#", f"{base}/"}
    graph = schema.graph
    for triple in graph.triples(None, _VANN.preferredNamespaceUri):
        if isinstance(triple.object, NamedNode | Literal):
            found.add(triple.object.value)
    for triple in graph.triples(None, RDFS.isDefinedBy):
        if triple.object in schema.iris and isinstance(triple.subject, NamedNode):
            found.add(namespace_of(triple.subject))
    counts = Counter(namespace_of(name) for name in schema.names if not name.value.startswith(VOCABULARIES))
    for namespace, count in counts.most_common(1):
        if 2 * count > counts.total():
            found.add(namespace)
    return frozenset(found - set(VOCABULARIES))


@lru_cache(maxsize=256)
def near_namespaces(namespace: str, schema: Schema) -> tuple[str, ...]:
    """The known namespaces that this one may be a slip of: one or two characters differ, such as `/` for `#`."""
    known = {*own_namespaces(schema), *VOCABULARIES, *(namespace_of(name) for name in schema.names)} - {namespace}
    near = (other for other in known if is_near(namespace, other) and not is_other_number(namespace, other))
    return tuple(sorted(other for other in near if distance(namespace, other) <= _NEAR_NAMESPACE))


# -- kinds of names ----------------------------------------------------------------------------------------------------

_PROPERTIES = frozenset({"ObjectProperty", "DataProperty", "AnnotationProperty", "Property"})
KINDS_OF = {
    NameRole.PROPERTY: _PROPERTIES,
    NameRole.CLASS: frozenset({"Class"}),
    NameRole.INDIVIDUAL: frozenset({"NamedIndividual"}),
    NameRole.DATATYPE: frozenset({"Datatype"}),
}


def known_name(iri: str, schema: Schema) -> NamedNode | None:
    """The name of the ontology or of a vocabulary with this IRI, which need not be a legal one."""
    try:
        name = NamedNode(iri)
    except ValueError:
        return None
    return name if name in BUILT_IN_NAMES or name in schema.names else None


def same_kind(use: NameUse, names: Iterable[NamedNode], schema: Schema) -> Iterator[NamedNode]:
    """The names that can stand where a name is used. By custom, classes of vocabularies begin with a capital."""
    wanted = KINDS_OF.get(use.role)
    for name in names:
        if not name.value.startswith(VOCABULARIES):
            is_fitting = wanted is None or bool(schema.kinds(name) & wanted)
        elif use.role is NameRole.DATATYPE:
            is_fitting = name.value.startswith(XSD.iri)
        else:
            is_class = name.value.rpartition("#")[2][:1].isupper()
            is_fitting = wanted is None or is_class == (use.role is NameRole.CLASS)
        if is_fitting:
            yield name
