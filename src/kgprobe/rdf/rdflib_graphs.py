"""Converts graphs to and from rdflib term by term, without rewriting any term.

By default, rdflib replaces the lexical form of many literals with a normalised one (`01` with `1`). This module always
turns that off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kgprobe.errors import InputError, UnavailableError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node

__all__ = ["from_rdflib", "rdflib_term", "to_rdflib"]


def to_rdflib(graph: Graph) -> rdflib.Graph:
    """The graph as an rdflib graph, with exactly the same terms."""
    try:
        import rdflib
    except ImportError:
        raise UnavailableError("rdflib is not installed", hint="pip install 'kgprobe[rdflib]'") from None
    made = rdflib.Graph(bind_namespaces="none")
    for prefix, iri in graph.spelling.prefixes.items():
        made.bind(prefix, iri, override=True, replace=True)
    tags = graph.spelling.language_tags
    nodes: dict[object, Node] = {term: rdflib_term(term, tags) for term in graph.terms()}
    for triple in graph:
        made.add((nodes[triple.subject], nodes[triple.predicate], nodes[triple.object]))
    return made


def rdflib_term(term: object, tags: Mapping[str, str]) -> Node:
    """A term for rdflib. `tags` are the language tags that are not all lower case, by their lower-case form."""
    from rdflib import BNode, URIRef
    from rdflib import Literal as RdflibLiteral

    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if isinstance(term, Literal):
        if term.language is not None:
            return RdflibLiteral(term.value, lang=tags.get(term.language, term.language))
        # rdflib has two spellings of a string: with and without its datatype. Files use the second.
        is_string = term.datatype.value == "http://www.w3.org/2001/XMLSchema#string"
        datatype = None if is_string else URIRef(term.datatype.value)
        return RdflibLiteral(term.value, datatype=datatype, normalize=False)
    raise InputError(f"rdflib cannot hold a triple as a term: {term}")


def from_rdflib(graph: rdflib.Graph) -> Graph:
    """The graph of an rdflib graph, with exactly the same terms."""
    terms = _Terms()
    triples = []
    for nodes in graph:
        subject, predicate, object_ = (terms[node] for node in nodes)
        if not isinstance(subject, NamedNode | BlankNode) or not isinstance(predicate, NamedNode):
            raise InputError(f"not an RDF triple: {subject} {predicate} {object_}")
        triples.append(Triple(subject, predicate, object_))
    prefixes = {prefix: str(iri) for prefix, iri in graph.namespaces()}
    return Graph(triples, spelling=Spelling(prefixes, terms.tags))


class _Terms(dict["Node", Term]):
    """The terms for rdflib's nodes, made on first use; also collects language tags that are not lower case."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, str] = {}

    def __missing__(self, node: Node) -> Term:
        term = self[node] = _from_rdflib(node)
        tag = getattr(node, "language", None)
        if tag is not None and tag != tag.lower():
            self.tags[tag.lower()] = tag
        return term


def _from_rdflib(node: Node) -> Term:
    from rdflib import BNode, URIRef
    from rdflib import Literal as RdflibLiteral

    try:
        if isinstance(node, URIRef):
            return NamedNode(str(node))
        if isinstance(node, BNode):
            return BlankNode(str(node))
        if isinstance(node, RdflibLiteral):
            if node.language is not None:
                return Literal(str(node), language=node.language)
            return Literal(str(node), datatype=None if node.datatype is None else NamedNode(str(node.datatype)))
    except ValueError as error:
        raise InputError(f"rdflib's {node!r} is not an RDF term: {error}") from None
    raise InputError(f"{node!r} is not an IRI, a blank node or a literal")
