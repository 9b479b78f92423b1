"""The names of RDF, RDFS, OWL and XSD themselves."""

from __future__ import annotations

from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["is_of_vocabulary"]

_NAMESPACES = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)


def is_of_vocabulary(term: Term) -> bool:
    """Whether a term is a name of RDF, RDFS, OWL or XSD, or a literal whose datatype is."""
    if isinstance(term, Literal):
        return term.datatype.value.startswith(_NAMESPACES)
    return isinstance(term, NamedNode) and term.value.startswith(_NAMESPACES)
