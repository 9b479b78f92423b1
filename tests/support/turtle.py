"""Graphs written in Turtle, with the prefixes that every test here uses."""

from __future__ import annotations

import pyoxigraph

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Namespace, Triple

EX = Namespace("http://example.org/")

_PREFIXES = {
    "": EX.iri,
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "swrl": "http://www.w3.org/2003/11/swrl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def turtle(body: str) -> str:
    return "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in _PREFIXES.items()) + body


def triples_in(text: str | bytes) -> list[Triple]:
    """The triples of a text that has its own prefixes."""
    quads = pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE)
    return [Triple(quad.subject, quad.predicate, quad.object) for quad in quads]


def graph_in(text: str | bytes) -> Graph:
    """The graph of a text that has its own prefixes."""
    return Graph(triples_in(text))


def triples_of(body: str) -> list[Triple]:
    return triples_in(turtle(body))


def graph_of(body: str) -> Graph:
    return Graph(triples_of(body), spelling=Spelling(_PREFIXES))
