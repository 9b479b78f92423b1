"""The names in a query that the ontology does not have, and those that stand in a strange place.

A name is unknown for certain only in a namespace that the ontology defines. In all other namespaces, data may have any
name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from kgprobe.queries.diagnosis.changes import renaming
from kgprobe.queries.diagnosis.names import (
    BUILT_IN_NAMES,
    KINDS_OF,
    VOCABULARIES,
    NameRole,
    NameUse,
    known_name,
    namespace_of,
    near_namespaces,
    own_namespaces,
    uses_of_names,
)
from kgprobe.queries.diagnosis.rules import Finding, Inspection, Rule
from kgprobe.queries.schema import Schema
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, NamedNode
from kgprobe.sparql.algebra import Document, Modify, Span

_SHARED = re.compile(r"[A-Za-z]+_\d+")
_CONTAINER = re.compile(re.escape(RDF.iri) + r"_\d+")
_IN_WORDS = {"Class": "a class", "Datatype": "a datatype", "NamedIndividual": "an individual"}


def _strange_names(inspection: Inspection) -> Iterator[Finding]:
    """The names of a query with a problem."""
    document, schema = inspection.document, inspection.schema
    uses = uses_of_names(document)
    new = frozenset(_declared_in(uses))
    passed_on = frozenset(_passed_on(uses))
    replaced = frozenset(_replaced(document))
    for use in uses:
        found = _unknown(use, schema, new) or _misplaced(use, schema)
        if found is not None and found.is_error and (why := _on_purpose(use, passed_on, replaced)):
            yield replace(found, is_error=False, message=f"{found.message}, but {why}")
        elif found is not None:
            yield replace(found, repairs=partial(renaming, use, found.code, document, schema))


RULE = Rule(_strange_names)


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
                {part for graph in parts for triple in graph.triples for part in triple[:3]}
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


def _unknown(use: NameUse, schema: Schema, new: frozenset[NamedNode]) -> Finding | None:
    name = use.named.term
    namespace = namespace_of(name)
    if name in new or name.value == namespace or _is_known(name, schema):
        return None
    if name.value.startswith(VOCABULARIES):
        known = next((vocabulary for vocabulary in VOCABULARIES if name.value.startswith(vocabulary)), "")
        is_error = known != XSD.iri
        return _finding(use, "unknown-term", f"{_vocabulary(known)} has no name {use.named.written}", is_error=is_error)
    for imported in schema.missing_imports:
        if name.value.startswith(imported.value.rstrip("#/")):
            words = f"{use.named.written} is unknown: {imported.value}, which the ontology imports, was not found"
            return _finding(use, "unknown-term", words)
    owner = next(
        (own_namespace for own_namespace in own_namespaces(schema) if name.value.startswith(own_namespace)), None
    )
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
    return _finding(use, "unknown-term", words, is_error=not (is_individual or is_shared))


def _in_near_namespace(use: NameUse, schema: Schema) -> Finding | None:
    """A name that the ontology has in a namespace that is written almost like its own."""
    named = use.named
    local = "" if named.written.startswith("<") else named.written.partition(":")[2]
    namespace = named.term.value.removesuffix(local) if local else namespace_of(named.term)
    local = named.term.value[len(namespace) :]
    for near in near_namespaces(namespace, schema) if local else ():
        if known_name(near + local, schema) is not None:
            words = f"the ontology has no {named.written}, but a name in <{near}>, which is almost <{namespace}>"
            return _finding(use, "unknown-term", words)
    return None


def _is_known(name: NamedNode, schema: Schema) -> bool:
    if name in BUILT_IN_NAMES or _CONTAINER.fullmatch(name.value):
        return True
    return name in schema.names or (not name.value.startswith(VOCABULARIES) and schema.graph.mentions(name))


def _vocabulary(namespace: str) -> str:
    return {RDF.iri: "RDF", RDFS.iri: "RDF Schema", OWL.iri: "OWL", XSD.iri: "XML Schema"}[namespace]


def _misplaced(use: NameUse, schema: Schema) -> Finding | None:
    kinds = schema.kinds(use.named.term)
    wanted = KINDS_OF.get(use.role)
    if wanted is None or not kinds or kinds & wanted or use.named.term.value.startswith(VOCABULARIES):
        return None
    if use.role is NameRole.INDIVIDUAL and not _is_between_individuals(use, schema):
        return None
    if use.role is NameRole.CLASS and "Datatype" in kinds:  # a range may be a datatype
        return None
    kind = _IN_WORDS.get(min(kinds), "a property")
    wanted_words = "a property" if use.role is NameRole.PROPERTY else _IN_WORDS[min(wanted)]
    words = f"{use.named.written} is {kind}, but stands where {wanted_words} is expected"
    return _finding(use, "wrong-kind", words)


def _is_between_individuals(use: NameUse, schema: Schema) -> bool:
    """Whether the triple of a name states something about individuals: annotations may be about anything."""
    predicate = None if use.triple is None else use.triple.predicate
    if not isinstance(predicate, NamedNode) or predicate.value.startswith(VOCABULARIES):
        return predicate == RDF.type and use.triple is not None and _is_ordinary_class(use.triple.object, schema)
    kinds = schema.kinds(predicate)
    return bool(kinds & {"ObjectProperty", "DataProperty"}) and "AnnotationProperty" not in kinds


def _is_ordinary_class(term: object, schema: Schema) -> bool:
    return isinstance(term, NamedNode) and not term.value.startswith(VOCABULARIES) and "Class" in schema.kinds(term)


def _finding(use: NameUse, code: str, message: str, *, is_error: bool = False) -> Finding:
    return Finding(code, Span(use.named.start, use.named.end), message, is_error)
