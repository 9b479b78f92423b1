"""The header of an OBO document: what the ontology is called, its idspaces, and what is said about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from kgprobe.graph.formats.obo.clauses import property_value, text
from kgprobe.graph.formats.obo.document import Document
from kgprobe.graph.formats.obo.ids import OBO, OIO, is_url
from kgprobe.graph.formats.obo.owl_axioms import add_axioms
from kgprobe.graph.formats.obo.text import Malformed, end_of_clause, expect_word, quoted, unquoted, word
from kgprobe.graph.terms import OWL, RDFS, NamedNode

__all__ = ["HeaderClause", "Names", "find_names", "translate"]


@dataclass(frozen=True, slots=True)
class HeaderClause:
    """One line of the header."""

    number: int
    line: str
    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class Names:
    """What the header calls the ontology, and what its identifiers begin with."""

    ontology: str | None
    unprefixed: str
    idspaces: Mapping[str, str]
    default_namespace: str | None


_Handler: TypeAlias = Callable[[Document, int, str], None]
_SCOPES: Final = {
    "BROAD": OIO.hasBroadSynonym,
    "EXACT": OIO.hasExactSynonym,
    "NARROW": OIO.hasNarrowSynonym,
    "RELATED": OIO.hasRelatedSynonym,
}
_FILE: Final = re.compile(r".*(?:[/\\]|\.(?:obo|owl)$)")


def find_names(clauses: Sequence[HeaderClause], at: Callable[[HeaderClause], None]) -> Names:
    """What the other clauses need to know; `at` is told which clause is being read."""
    ontology: str | None = None
    idspaces: dict[str, str] = {}
    default_namespace: str | None = None
    for clause in clauses:
        at(clause)
        if clause.tag == "ontology":
            ontology, end = expect_word(clause.value, 0)
            end_of_clause(clause.value, end)
        elif clause.tag == "idspace":
            prefix, end = expect_word(clause.value, 0)
            idspaces[prefix], end = expect_word(clause.value, end)
        elif clause.tag == "default-namespace":
            default_namespace = unquoted(clause.value)[0]
    if ontology is not None and is_url(ontology):
        return Names(ontology, ontology + "#", idspaces, default_namespace)
    # An ontology without a name has its own corner, as in OWLAPI.
    unprefixed = f"{OBO.iri}{ontology or 'TEMP'}#"
    iri = None if ontology is None else f"{OBO.iri}{ontology}.owl"
    return Names(iri, unprefixed, idspaces, default_namespace)


def translate(
    clauses: Sequence[HeaderClause], names: Names, document: Document, at: Callable[[HeaderClause], None]
) -> None:
    """Add what the header says; `at` is told which clause is being read."""
    triples = document.triples
    if names.ontology is None:
        ontology = triples.blank()
    else:
        for clause in clauses:
            if clause.tag == "ontology":
                at(clause)
                ontology = document.ids.entity(names.ontology, clause.value)
    triples.add(ontology, triples.type, triples.number(OWL.Ontology))
    for clause in clauses:
        at(clause)
        if clause.tag == "data-version":
            _data_version(document, ontology, clause.value, names)
        elif clause.tag not in ("ontology", "idspace", "owl-axioms"):
            handler = _HANDLERS.get(clause.tag)
            if handler is None:
                handler = partial(_annotation, _property(clause))
            handler(document, ontology, clause.value)
    axioms = [clause for clause in clauses if clause.tag == "owl-axioms"]
    if axioms:
        at(axioms[0])
        add_axioms([clause.value for clause in axioms], triples)


def _annotation(predicate: NamedNode, document: Document, ontology: int, value: str) -> None:
    text(predicate, document)(ontology, value)


def _property(clause: HeaderClause) -> NamedNode:
    """Any other tag annotates the ontology, under its own name."""
    try:
        return OIO[clause.tag]
    except ValueError as problem:
        raise Malformed(f"the tag '{clause.tag}' gives no valid IRI: {problem}", clause.line) from None


def _data_version(document: Document, ontology: int, value: str, names: Names) -> None:
    """The version's IRI, or where there is nothing to make it from, its name."""
    version, end = expect_word(value, 0)
    end_of_clause(value, end)
    short = names.unprefixed.removeprefix(OBO.iri).removesuffix("#")
    if names.ontology is not None and (is_url(version) or names.ontology == f"{OBO.iri}{short}.owl"):
        iri = version if is_url(version) else f"{OBO.iri}{short}/{version}/{short}.owl"
        number = document.ids.entity(iri, value)
        document.triples.add(ontology, document.triples.number(OWL.versionIRI), number)
    else:
        text(OWL.versionInfo, document)(ontology, value)


def _import(document: Document, ontology: int, value: str) -> None:
    imported, end = expect_word(value, 0)
    end_of_clause(value, end)
    if not is_url(imported):
        if ":" not in imported and _FILE.match(imported):
            raise Malformed("an import needs an IRI; a file has none", value)
        imported = imported if ":" in imported else f"{OBO.iri}{imported}.owl"
    document.triples.add(ontology, document.triples.number(OWL.imports), document.ids.entity(imported, value))


def _subset(document: Document, _: int, value: str) -> None:
    identifier, description, end = _identifier_and_description(value)
    pairs = document.pairs(end_of_clause(value, end), value)
    subset = _below(OIO.SubsetProperty, identifier, document, value)
    add, number, literal = document.triples.add, document.triples.number, document.triples.literal
    add(subset, number(RDFS.label), literal(identifier))
    add(subset, number(RDFS.comment), literal(description), pairs)


def _synonym_type(document: Document, _: int, value: str) -> None:
    identifier, description, end = _identifier_and_description(value)
    scope, after = word(value, end)
    if scope is not None and scope not in _SCOPES:
        raise Malformed(f"'{scope}' is no scope of a synonym", value, end, f"one of {', '.join(_SCOPES)}")
    pairs = document.pairs(end_of_clause(value, after), value)
    kind = _below(OIO.SynonymTypeProperty, identifier, document, value)
    document.triples.add(kind, document.triples.number(RDFS.label), document.triples.literal(description), pairs)
    if scope is not None:
        has_scope = document.annotation_property(OIO.hasScope)
        document.triples.add(kind, has_scope, document.triples.number(_SCOPES[scope]))


def _identifier_and_description(value: str) -> tuple[str, str, int]:
    identifier, end = expect_word(value, 0)
    description, end = quoted(value, end)
    return identifier, description, end


def _below(parent: NamedNode, identifier: str, document: Document, value: str) -> int:
    """A new annotation property below one of oboInOwl's."""
    triples = document.triples
    number, type_ = document.ids.entity(identifier, value), triples.number(OWL.AnnotationProperty)
    triples.add(number, triples.type, type_)
    triples.add(number, triples.number(RDFS.subPropertyOf), triples.number(parent))
    triples.add(triples.number(parent), triples.type, type_)
    return number


def _property_value(document: Document, ontology: int, value: str) -> None:
    property_value(document)(ontology, value)


_HANDLERS: Final[Mapping[str, _Handler]] = {
    "format-version": partial(_annotation, OIO.hasOBOFormatVersion),
    "import": _import,
    "namespace-id-rule": partial(_annotation, OIO.NamespaceIdRule),
    "property_value": _property_value,
    "remark": partial(_annotation, RDFS.comment),
    "subsetdef": _subset,
    "synonymtypedef": _synonym_type,
}
