"""What the syntaxes of OWL have in common below the level of axioms: prefixes, literals, and the document around."""

from __future__ import annotations

from pyoxigraph import BaseDirection

from kgprobe.graph.axioms.expression import Expression, OntologyDocument, inner, name
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["LONGEST_NUMBER", "STANDARD_PREFIXES", "bound_otherwise", "document_of", "expanded", "literal"]

STANDARD_PREFIXES = {"owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}
"""The prefixes that need no declaration."""

LONGEST_NUMBER = 1000
"""Digits of a cardinality; Python refuses to read numbers that are much longer."""


def expanded(abbreviated: str, prefixes: dict[str, str]) -> str | None:
    """The full IRI of `prefix:local`, or None if the prefix is not declared."""
    prefix, _, local = abbreviated.partition(":")
    namespace = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix))
    return None if namespace is None else namespace + local


def bound_otherwise(prefix: str, namespace: str, prefixes: dict[str, str]) -> str | None:
    """What a prefix stands for already, if that is something else than `namespace`."""
    before = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix, namespace))
    return None if before == namespace else before


def literal(text: str, *, language: str | None, datatype: NamedNode | None) -> Literal:
    """A literal with its lexical form untouched; ValueError for a language that is none.

    rdf:PlainLiteral is how OWL spells, and RDF must not spell, a string with a language: "hi@en"^^rdf:PlainLiteral
    is "hi"@en.
    """
    if language:
        tag, _, direction = language.partition("--")
        if direction:  # of RDF 1.2; no syntax of OWL knows it, and a graph can have it
            return Literal(text, language=tag, direction=BaseDirection(direction))
        return Literal(text, language=tag)
    if datatype == RDF.PlainLiteral and "@" in text:
        text, _, tag = text.rpartition("@")
        return Literal(text, language=tag) if tag else Literal(text)
    return Literal(text, datatype=datatype) if datatype is not None else Literal(text)


def document_of(ontology: Expression, prefixes: dict[str, str]) -> OntologyDocument:
    """The document that an `Ontology(…)` tree with checked arguments stands for."""
    names = [argument for argument in ontology.args[:2] if type(argument) is NamedNode]
    parts = [inner(argument) for argument in ontology.args[len(names) :]]
    return OntologyDocument(
        iri=names[0] if names else None,
        version=names[1] if len(names) > 1 else None,
        imports=tuple(name(part.args[0]) for part in parts if part.head == "Import"),
        annotations=tuple(part for part in parts if part.head == "Annotation"),
        axioms=tuple(part for part in parts if part.head not in ("Import", "Annotation")),
        prefixes=prefixes,
    )
