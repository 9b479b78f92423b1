"""RDF terms: pyoxigraph's classes, and the vocabularies that kgprobe uses.

A term keeps its lexical form exactly: "1.0" and "1.00" are two terms. A triple is `pyoxigraph.Triple`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

__all__ = [
    "OBO",
    "OWL",
    "RDF",
    "RDFS",
    "SH",
    "SKOS",
    "XSD",
    "BlankNode",
    "Literal",
    "NamedNode",
    "Namespace",
    "Subject",
    "Term",
    "Triple",
    "blank_nodes",
    "with_blanks",
]

Subject: TypeAlias = NamedNode | BlankNode
Term: TypeAlias = NamedNode | BlankNode | Literal


class Namespace:
    """Makes the terms of one vocabulary: `OWL.Class`, `RDF["type"]`; each term is made once."""

    def __init__(self, iri: str) -> None:
        self.iri = iri

    def __getitem__(self, name: str) -> NamedNode:
        return NamedNode(self.iri + name)

    def __getattr__(self, name: str) -> NamedNode:
        if name.startswith("__"):  # copy, pickle and inspect ask every object for such names
            raise AttributeError(name)
        term = self[name]
        setattr(self, name, term)
        return term


RDF = Namespace("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
RDFS = Namespace("http://www.w3.org/2000/01/rdf-schema#")
OWL = Namespace("http://www.w3.org/2002/07/owl#")
XSD = Namespace("http://www.w3.org/2001/XMLSchema#")
SH = Namespace("http://www.w3.org/ns/shacl#")
SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
OBO = Namespace("http://purl.obolibrary.org/obo/")


def blank_nodes(term: object) -> Iterator[BlankNode]:
    """The blank nodes in a term or triple, including those inside triple terms."""
    pending = [term]
    while pending:
        part = pending.pop()
        if type(part) is Triple:
            pending += (part.subject, part.object)
        elif type(part) is BlankNode:
            yield part


def with_blanks(triple: Triple, rename: Callable[[BlankNode], Subject]) -> Triple:
    """The triple with each of its blank nodes replaced."""
    s, o = triple.subject, triple.object
    return Triple(
        rename(s) if isinstance(s, BlankNode) else s,
        triple.predicate,
        rename(o) if isinstance(o, BlankNode) else o,
    )
