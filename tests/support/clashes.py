"""Ontologies and statements for tests of clashes, in functional syntax."""

from __future__ import annotations

from kgprobe.formats import functional
from kgprobe.owl import to_triples
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.queries.schema import Schema
from kgprobe.queries.statements import Statement
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple
from kgprobe.reasoners.ontology import declarations

_PREFIXES = "\n".join(
    f"Prefix({prefix}:=<{iri}>)"
    for prefix, iri in {
        "": "urn:test:",
        "v": "urn:kgprobe:variable:",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "owl": "http://www.w3.org/2002/07/owl#",
    }.items()
)


def axioms(text: str) -> tuple[Expression, ...]:
    """Axioms from functional syntax; the variables have the prefix `v:`."""
    return functional.parse(f"{_PREFIXES}\nOntology(\n{text}\n)", "test").axioms


def schema(*stated: Expression) -> Schema:
    """An ontology of these axioms; every name that they use is declared."""
    document = OntologyDocument(axioms=(*declarations(stated), *stated))
    return Schema(Graph(Triple(*statement) for statement in to_triples.triples(document)))


def statements(*patterns: str, values: dict[int, str] | None = None) -> list[Statement]:
    """The statements of patterns: the first text belongs to pattern 0. `values` names unknown literals."""
    return [
        Statement(axiom, origin, (values or {}).get(origin, ""))
        for origin, text in enumerate(patterns)
        for axiom in axioms(text)
    ]
