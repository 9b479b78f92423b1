"""The classes of the variables of a query, as its patterns and the stated axioms say, without a reasoner.

Completion has to answer while somebody types, so it uses domains, ranges and superclasses as stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kgprobe.owl.expression import Expression
from kgprobe.queries.schema import Said, Schema
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.sparql.algebra import (
    Part,
    PlacedTriple,
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is in a class: a triple of the query, unless the ontology alone says so, and stated axioms."""

    triple: PlacedTriple | None
    axioms: tuple[Expression, ...]


def told_types(part: Part, triples: Iterable[PlacedTriple], schema: Schema) -> Mapping[NamedNode, Reason]:
    """The named classes of a variable or an individual with those above them, each with a reason."""
    found: dict[NamedNode, Reason] = {}
    for kind, reason in _directly(part, triples, schema):
        for upper, axioms in schema.super_classes(kind).items():
            found.setdefault(upper, Reason(reason.triple, (*reason.axioms, *axioms)))
    return found


def _directly(part: Part, triples: Iterable[PlacedTriple], schema: Schema) -> Iterator[tuple[NamedNode, Reason]]:
    if isinstance(part, NamedNode):
        for stated in schema.graph.triples(part, RDF.type, None):
            if isinstance(stated.object, NamedNode) and "Class" in schema.kinds(stated.object):
                yield stated.object, Reason(None, (Expression("ClassAssertion", stated.object, part),))
    for triple in triples:
        if isinstance(triple.predicate, NamedNode) and part in (triple.subject, triple.object):
            yield from _from_triple(part, triple, triple.predicate, schema)


def _from_triple(
    part: Part, triple: PlacedTriple, predicate: NamedNode, schema: Schema
) -> Iterator[tuple[NamedNode, Reason]]:
    ends: list[Said] = []
    if triple.subject == part:
        if predicate == RDF.type and isinstance(triple.object, NamedNode):
            yield triple.object, Reason(triple, ())
        ends += schema.domains(predicate)
    if triple.object == part:
        ends += schema.ranges(predicate)
    for said in ends:
        if isinstance(said.what, NamedNode):
            yield said.what, Reason(triple, said.axioms)
