"""The names in a query: those that the ontology does not have, and those that stand in a strange place.

A name is unknown for certain only in a namespace that the ontology defines. In all other namespaces, data may have any
name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgprobe.queries.diagnosis.name_uses import BUILT_IN_NAMES, VOCABULARIES, NameRole, NameUse, uses_of_names
from kgprobe.queries.schema import Schema
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Namespace
from kgprobe.sparql.algebra import Document, Modify

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


# -- strange -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StrangeName:
    """A name with a problem."""

    use: NameUse
    code: str
    is_error: bool
    message: str
    may_be_slip: bool = True


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
    replaced = frozenset(_replaced(document))
    for use in uses:
        found = _unknown(use, schema, new) or _misplaced(use, schema)
        if found is not None and found.is_error and (why := _on_purpose(use, passed_on, replaced)):
            found = replace(found, is_error=False, message=f"{found.message}, but {why}", may_be_slip=False)
        if found is not None:
            yield found


def _on_purpose(
    use: NameUse, passed_on: frozenset[NamedNode], replaced: frozenset[tuple[int, NamedNode]]
) -> str | None:
    """Why an update may use a name that the ontology does not have; None if nothing says so."""
    if use.named.term in passed_on:
        return "one update of this text writes it, and a later one reads it"
    if (use.operation, use.named.term) in replaced:
        return "this update replaces it by other names"
    return None


def _replaced(document: Document) -> Iterator[tuple[int, NamedNode]]:
    """The names that an update deletes and does not insert, with its number, if it inserts something else."""
    for number, update in enumerate(document.operations):
        if isinstance(update, Modify) and update.inserted:
            gone, new = (
                {part for each in parts for triple in each.triples for part in triple[:3]}
                for parts in (update.deleted, update.inserted)
            )
            yield from ((number, part) for part in gone - new if isinstance(part, NamedNode))


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
