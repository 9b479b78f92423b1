"""Prefixes, literals and the ontology document, as all OWL syntaxes share them."""

from __future__ import annotations

from pyoxigraph import BaseDirection

from kgprobe.graph.axioms.expression import Expression, OntologyDocument, inner, name
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["LONGEST_NUMBER", "STANDARD_PREFIXES", "bound_otherwise", "document_of", "expanded", "literal"]

STANDARD_PREFIXES = {"owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}
"""The prefixes that need no declaration."""

LONGEST_NUMBER = 1000
"""The most digits of a cardinality; Python refuses to parse much longer numbers."""


def expanded(abbreviated: str, prefixes: dict[str, str]) -> str | None:
    """The full IRI of `prefix:local`, or None if the prefix is not declared."""
    prefix, _, local = abbreviated.partition(":")
    namespace = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix))
    return None if namespace is None else namespace + local


def bound_otherwise(prefix: str, namespace: str, prefixes: dict[str, str]) -> str | None:
    """The namespace that a prefix is already bound to, if it is not `namespace`."""
    before = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix, namespace))
    return None if before == namespace else before


def literal(text: str, *, language: str | None, datatype: NamedNode | None) -> Literal:
    """A literal with its lexical form unchanged; ValueError if `language` is not a language tag.

    OWL may write a string with a language as an rdf:PlainLiteral, RDF must not: "hi@en"^^rdf:PlainLiteral is "hi"@en.
    """
    if language:
        tag, _, direction = language.partition("--")
        if direction:  # from RDF 1.2; OWL syntaxes do not have it, but graphs can
            return Literal(text, language=tag, direction=BaseDirection(direction))
        return Literal(text, language=tag)
    if datatype == RDF.PlainLiteral and "@" in text:
        text, _, tag = text.rpartition("@")
        return Literal(text, language=tag) if tag else Literal(text)
    return Literal(text, datatype=datatype) if datatype is not None else Literal(text)


def document_of(ontology: Expression, prefixes: dict[str, str]) -> OntologyDocument:
    """The document for an `Ontology(…)` tree whose arguments have been checked."""
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
