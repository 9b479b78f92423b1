"""Reads the header of an OBO document: the ontology's name, its idspaces, its annotations and its owl-axioms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from kgprobe.errors import InputError
from kgprobe.formats import functional
from kgprobe.formats.syntaxes.obo.clauses import SCOPES, property_value, text
from kgprobe.formats.syntaxes.obo.document import OIO, STANDARD_IDSPACES, Document, Triples, is_url
from kgprobe.formats.syntaxes.obo.text import Malformed, end_of_clause, expect_word, quoted, unescape, unquoted, word
from kgprobe.owl.to_triples import triples as triples_of
from kgprobe.rdf.terms import OBO, OWL, RDFS, BlankNode, NamedNode, Term


@dataclass(frozen=True, slots=True)
class HeaderClause:
    """One line of the header."""

    number: int
    line: str
    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class Names:
    """The names that the header declares: the ontology's IRI, idspaces and default namespaces."""

    ontology: str | None
    unprefixed: str
    idspaces: Mapping[str, str]
    default_namespace: str | None


_Handler: TypeAlias = Callable[[Document, int, str], None]
_FILE: Final = re.compile(r".*(?:[/\\]|\.(?:obo|owl)$)")


def find_names(clauses: Sequence[HeaderClause], at: Callable[[HeaderClause], None]) -> Names:
    """The names that the other clauses depend on; `at` is called with each clause before it is read."""
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
    # As in OWLAPI, an ontology without a name uses the namespace TEMP.
    unprefixed = f"{OBO.iri}{ontology or 'TEMP'}#"
    iri = None if ontology is None else f"{OBO.iri}{ontology}.owl"
    return Names(iri, unprefixed, idspaces, default_namespace)


def translate(
    clauses: Sequence[HeaderClause], names: Names, document: Document, at: Callable[[HeaderClause], None]
) -> None:
    """Add the triples of the header; `at` is called with each clause before it is read."""
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
    """The annotation property for any other tag, named after the tag."""
    try:
        return OIO[clause.tag]
    except ValueError as problem:
        raise Malformed(f"the tag '{clause.tag}' does not make a valid IRI: {problem}", clause.line) from None


def _data_version(document: Document, ontology: int, value: str, names: Names) -> None:
    """Add the version's IRI, or its name if the ontology has no name to make an IRI from."""
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
            raise Malformed("expected the IRI of an import, found a file name", value)
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
    if scope is not None and scope not in SCOPES:
        raise Malformed(f"'{scope}' is not a synonym scope", value, end, f"use one of {', '.join(SCOPES)}")
    pairs = document.pairs(end_of_clause(value, after), value)
    kind = _below(OIO.SynonymTypeProperty, identifier, document, value)
    document.triples.add(kind, document.triples.number(RDFS.label), document.triples.literal(description), pairs)
    if scope is not None:
        has_scope = document.annotation_property(OIO.hasScope)
        document.triples.add(kind, has_scope, document.triples.number(SCOPES[scope]))


def _identifier_and_description(value: str) -> tuple[str, str, int]:
    identifier, end = expect_word(value, 0)
    description, end = quoted(value, end)
    return identifier, description, end


def _below(parent: NamedNode, identifier: str, document: Document, value: str) -> int:
    """A new subproperty of an oboInOwl annotation property."""
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


# -- owl-axioms --------------------------------------------------------------------------------------------------------
# A header may carry axioms that OBO cannot express, in functional syntax.

# The specification's prefixes. Some tools instead write a whole document with prefix declarations.
_OPENING: Final = (
    "".join(f"Prefix({prefix}:=<{iri}>)\n" for prefix, iri in STANDARD_IDSPACES.items())
    + f"Prefix(:=<{OBO.iri}>)\nOntology(\n"
)


def add_axioms(values: Sequence[str], triples: Triples) -> None:
    """Add the axioms of all owl-axioms clauses; errors are reported at the first of them."""
    texts = [unescape(value.strip()) for value in values]
    documents = [text for text in texts if text.startswith(("Prefix(", "Ontology("))]
    fragments = [text for text in texts if text not in documents]
    if fragments:
        documents.append(_OPENING + "\n".join([*fragments, ")"]))
    for written in documents:
        _add(written, values[0], triples)


def _add(text: str, value: str, triples: Triples) -> None:
    try:
        ontology = functional.parse(text, "owl-axioms")
    except InputError as problem:
        raise Malformed(f"invalid functional syntax: {problem.message}", value, hint=problem.hint) from None
    if ontology.imports or ontology.annotations:
        raise Malformed("owl-axioms may contain only axioms, not imports or ontology annotations", value)
    # Blank nodes get new labels, since this document may already use theirs.
    blanks: dict[Term, int] = {}

    def number(term: Term) -> int:
        if type(term) is not BlankNode:
            return triples.number(term)
        if term not in blanks:
            blanks[term] = triples.blank()
        return blanks[term]

    for statement in triples_of(ontology, header=False):
        triples.cells += map(number, statement)
