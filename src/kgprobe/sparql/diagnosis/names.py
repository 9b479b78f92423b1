"""The names in a query: those that the ontology does not have, and those that stand in a strange place.

A name is unknown for certain only in a namespace that the ontology defines. In all other namespaces, data may have any
name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Namespace
from kgprobe.queries.algebra import (
    Bind,
    Constant,
    Document,
    Element,
    Exists,
    Expression,
    Filter,
    Group,
    Modify,
    PlacedTriple,
    QueryTree,
    Span,
    Values,
)
from kgprobe.queries.source import NamedTerm
from kgprobe.queries.traversal import expressions_in, inner_groups
from kgprobe.sparql.diagnosis.nearness import distance, is_near, is_other_number
from kgprobe.sparql.diagnosis.vocabularies import BUILT_IN_NAMES, VOCABULARIES
from kgprobe.sparql.schema import Schema

__all__ = [
    "NameRole",
    "NameUse",
    "StrangeName",
    "known_name",
    "namespace_of",
    "near_namespaces",
    "own_namespaces",
    "same_kind",
    "strange_names",
    "uses_of_names",
]


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


@dataclass(frozen=True)
class StrangeName:
    """A name with a problem."""

    use: NameUse
    code: str
    is_error: bool
    message: str
    may_be_slip: bool = True


# -- the uses of names -------------------------------------------------------------------------------------------------

_ABOUT_CLASSES = {RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.complementOf}
_TO_CLASSES = {RDF.type, RDFS.domain, RDFS.range, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass} | _ABOUT_CLASSES
_ABOUT_PROPERTIES = {RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyDisjointWith}
_TO_PROPERTIES = {OWL.onProperty} | _ABOUT_PROPERTIES


def uses_of_names(document: Document) -> list[NameUse]:
    """The names of a query that stand for something in the ontology or the data, in the order of the text."""
    walk = _Walk(document.terms)
    for number, operation in enumerate(document.operations):
        walk.operation = number
        if isinstance(operation, QueryTree):
            walk.query(operation)
        elif isinstance(operation, Modify):
            walk.update(operation)
    return sorted(walk.found, key=lambda use: use.named.start)


class _Walk:
    def __init__(self, terms: Iterable[NamedTerm]) -> None:
        self._terms = {each.start: each for each in terms}
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

    def expression(self, expression: Expression) -> None:
        for each in expressions_in(expression):
            if isinstance(each, Exists):
                self.group(each.group)
            elif isinstance(each, Constant) and isinstance(each.term, Literal):
                self._datatype(each.span, each.term)
            elif isinstance(each, Constant):
                named = self._terms.get(each.span.start)
                if named is not None and named.term == each.term:
                    self._add(named, NameRole.VALUE)

    def group(self, group: Group) -> None:
        for element in group.elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        match element:
            case PlacedTriple():
                self.triple(element)
            case Filter(condition=expression) | Bind(expression=expression):
                self.expression(expression)
            case Values(span=span):
                self._values(element, span)
            case QueryTree():
                self.query(element)
            case _:
                for group in inner_groups(element):
                    self.group(group)

    def _values(self, values: Values, span: Span) -> None:
        terms = {term for row in values.rows for term in row if isinstance(term, NamedNode)}
        for named in self._within(span):
            if named.term in terms:
                self._add(named, NameRole.VALUE)

    def query(self, query: QueryTree) -> None:
        if query.where is not None:
            self.group(query.where)
        for triple in query.template:
            self.triple(triple, is_written=True)
        expressions = [column.expression for column in query.projected or () if column.expression is not None]
        expressions += [key.expression if isinstance(key, Bind) else key for key in query.groups]
        expressions += [condition.condition for condition in query.having]
        for expression in (*expressions, *query.order, *query.described):
            self.expression(expression)
        if query.values is not None:
            self._values(query.values, query.values.span)

    def update(self, update: Modify) -> None:
        for part in update.deleted:
            for triple in part.triples:
                self.triple(triple)
        for part in update.inserted:
            for triple in part.triples:
                self.triple(triple, is_written=True)
        if update.where is not None:
            self.group(update.where)


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


# -- namespaces --------------------------------------------------------------------------------------------------------

_VANN = Namespace("http://purl.org/vocab/vann/")
_LOCAL = re.compile(r"[^#/:]*$")
_SHARED = re.compile(r"[A-Za-z]+_\d+")
_NEAR_NAMESPACE = 2  # characters
_CONTAINER = re.compile(re.escape(RDF.iri) + r"_\d+")


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
    counts = Counter(namespace_of(name) for name in schema.names if not name.value.startswith(_RESERVED))
    for namespace, count in counts.most_common(1):
        if 2 * count > counts.total():
            found.add(namespace)
    return frozenset(found - set(_RESERVED))


_RESERVED = VOCABULARIES


@lru_cache(maxsize=256)
def near_namespaces(namespace: str, schema: Schema) -> tuple[str, ...]:
    """The known namespaces that this one may be a slip of: one or two characters differ, such as `/` for `#`."""
    known = {*own_namespaces(schema), *VOCABULARIES, *(namespace_of(name) for name in schema.names)} - {namespace}
    near = (each for each in known if is_near(namespace, each) and not is_other_number(namespace, each))
    return tuple(sorted(each for each in near if distance(namespace, each) <= _NEAR_NAMESPACE))


# -- strange names -----------------------------------------------------------------------------------------------------

_PROPERTIES = frozenset({"ObjectProperty", "DataProperty", "AnnotationProperty", "Property"})
_KINDS_OF = {
    NameRole.PROPERTY: _PROPERTIES,
    NameRole.CLASS: frozenset({"Class"}),
    NameRole.INDIVIDUAL: frozenset({"NamedIndividual"}),
    NameRole.DATATYPE: frozenset({"Datatype"}),
}
_IN_WORDS = {"Class": "a class", "Datatype": "a datatype", "NamedIndividual": "an individual"}


def strange_names(document: Document, schema: Schema) -> Iterator[StrangeName]:
    """The names of a query with a problem."""
    uses = uses_of_names(document)
    new = frozenset(_declared_in(uses))
    passed_on = frozenset(_passed_on(uses))
    for use in uses:
        found = _unknown(use, schema, new) or _misplaced(use, schema)
        if found is not None and found.is_error and use.named.term in passed_on:
            words = f"{found.message}, but one update of this text writes it, and a later one reads it"
            found = replace(found, is_error=False, message=words, may_be_slip=False)
        if found is not None:
            yield found


def _passed_on(uses: Sequence[NameUse]) -> Iterator[NamedNode]:
    """The names that one update inserts, and that a later one reads."""
    written: dict[NamedNode, int] = {}
    for use in uses:
        if use.is_written:
            written.setdefault(use.named.term, use.operation)
    for use in uses:
        if not use.is_written and use.operation > written.get(use.named.term, use.operation):
            yield use.named.term


def _declared_in(uses: Iterable[NameUse]) -> Iterator[NamedNode]:
    """The names that an update or a CONSTRUCT itself introduces: `:New a owl:Class`."""
    for use in uses:
        triple = use.triple
        if use.is_written and triple is not None and triple.predicate == RDF.type:
            target = triple.object
            is_kind = isinstance(target, NamedNode) and target.value.startswith((OWL.iri, RDFS.iri, RDF.iri))
            if is_kind and isinstance(triple.subject, NamedNode):
                yield triple.subject


def _unknown(use: NameUse, schema: Schema, new: frozenset[NamedNode]) -> StrangeName | None:
    name = use.named.term
    namespace = namespace_of(name)
    if name in new or name.value == namespace or _is_known(name, schema):
        return None
    if name.value.startswith(_RESERVED):
        known = next((each for each in _RESERVED if name.value.startswith(each)), "")
        is_error = known != XSD.iri
        return StrangeName(use, "unknown-term", is_error, f"{_vocabulary(known)} has no name {use.named.written}")
    for imported in schema.missing_imports:
        if name.value.startswith(imported.value.rstrip("#/")):
            words = f"{use.named.written} is unknown: {imported.value}, which the ontology imports, was not found"
            return StrangeName(use, "unknown-term", False, words)
    owner = next((each for each in own_namespaces(schema) if name.value.startswith(each)), None)
    if owner is None:
        return _in_near_namespace(use, schema)
    is_individual = use.role in (NameRole.INDIVIDUAL, NameRole.VALUE)
    if is_individual and use.is_written:
        return None
    is_shared = _SHARED.fullmatch(name.value[len(namespace) :]) is not None
    what = "name" if use.role is NameRole.VALUE else use.role.value
    words = f"the ontology has no {what} {use.named.written}"
    if is_individual:
        words += "; data may have it"
    return StrangeName(use, "unknown-term", not (is_individual or is_shared), words)


def _in_near_namespace(use: NameUse, schema: Schema) -> StrangeName | None:
    """A name that the ontology has in a namespace that is written almost like its own."""
    named = use.named
    local = "" if named.written.startswith("<") else named.written.partition(":")[2]
    namespace = named.term.value.removesuffix(local) if local else namespace_of(named.term)
    local = named.term.value[len(namespace) :]
    for near in near_namespaces(namespace, schema) if local else ():
        if known_name(near + local, schema) is not None:
            words = f"the ontology has no {named.written}, but a name in <{near}>, which is almost <{namespace}>"
            return StrangeName(use, "unknown-term", False, words)
    return None


def known_name(iri: str, schema: Schema) -> NamedNode | None:
    """The name of the ontology or of a vocabulary with this IRI, which need not be a legal one."""
    try:
        name = NamedNode(iri)
    except ValueError:
        return None
    return name if name in BUILT_IN_NAMES or name in schema.names else None


def _is_known(name: NamedNode, schema: Schema) -> bool:
    if name in BUILT_IN_NAMES or _CONTAINER.fullmatch(name.value):
        return True
    return name in schema.names or (not name.value.startswith(_RESERVED) and schema.graph.mentions(name))


def _vocabulary(namespace: str) -> str:
    return {RDF.iri: "RDF", RDFS.iri: "RDF Schema", OWL.iri: "OWL", XSD.iri: "XML Schema"}[namespace]


def same_kind(use: NameUse, names: Iterable[NamedNode], schema: Schema) -> Iterator[NamedNode]:
    """The names that can stand where a name is used. By custom, classes of vocabularies begin with a capital."""
    wanted = _KINDS_OF.get(use.role)
    for name in names:
        if not name.value.startswith(_RESERVED):
            is_fitting = wanted is None or bool(schema.kinds(name) & wanted)
        elif use.role is NameRole.DATATYPE:
            is_fitting = name.value.startswith(XSD.iri)
        else:
            is_class = name.value.rpartition("#")[2][:1].isupper()
            is_fitting = wanted is None or is_class == (use.role is NameRole.CLASS)
        if is_fitting:
            yield name


def _misplaced(use: NameUse, schema: Schema) -> StrangeName | None:
    kinds = schema.kinds(use.named.term)
    wanted = _KINDS_OF.get(use.role)
    if wanted is None or not kinds or kinds & wanted or use.named.term.value.startswith(_RESERVED):
        return None
    if use.role is NameRole.INDIVIDUAL and not _is_between_individuals(use, schema):
        return None
    if use.role is NameRole.CLASS and "Datatype" in kinds:  # a range may be a datatype
        return None
    kind = _IN_WORDS.get(min(kinds), "a property")
    wanted_words = "a property" if use.role is NameRole.PROPERTY else _IN_WORDS[min(wanted)]
    words = f"{use.named.written} is {kind}, but stands where {wanted_words} is expected"
    return StrangeName(use, "wrong-kind", False, words)


def _is_between_individuals(use: NameUse, schema: Schema) -> bool:
    """Whether the triple of a name states something about individuals: annotations may be about anything."""
    predicate = None if use.triple is None else use.triple.predicate
    if not isinstance(predicate, NamedNode) or predicate.value.startswith(_RESERVED):
        return predicate == RDF.type and use.triple is not None and _is_ordinary_class(use.triple.object, schema)
    kinds = schema.kinds(predicate)
    return bool(kinds & {"ObjectProperty", "DataProperty"}) and "AnnotationProperty" not in kinds


def _is_ordinary_class(term: object, schema: Schema) -> bool:
    return isinstance(term, NamedNode) and not term.value.startswith(_RESERVED) and "Class" in schema.kinds(term)
