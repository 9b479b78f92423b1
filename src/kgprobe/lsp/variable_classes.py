"""The classes of a variable: as a reasoner infers them from the patterns around a place, and as axioms state them.

A variable is in a class exactly if the patterns contradict the ontology together with the statement that it is not. So
each class is a question for the finder of clashes, and the clash is the reason. Completion has to answer while somebody
types, so it uses domains, ranges and superclasses as stated, without a reasoner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.diagnosis.views import View
from kgprobe.queries.patterns.facts import Choice, Fact, label_of
from kgprobe.queries.patterns.worlds import World, worlds_of
from kgprobe.queries.schema import Said, Schema
from kgprobe.queries.statements import Statement
from kgprobe.queries.statements import variable as individual_of
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.reasoners.ontology import entities
from kgprobe.sparql.algebra import (
    Document,
    Part,
    PlacedTriple,
    Span,
)


@dataclass(frozen=True, slots=True)
class VariableClass:
    """A class of a variable, and why: axioms, and the places of patterns in the query."""

    kind: NamedNode
    axioms: tuple[Expression, ...]
    spans: tuple[Span, ...]


def classes_of(variable: Variable, document: Document, offset: int, finder: ClashFinder) -> tuple[VariableClass, ...]:
    """The classes that follow from everything that must hold where the cursor is; none if that cannot hold."""
    for world in _around(document, offset):
        facts = tuple((number, fact) for number, fact in enumerate(world.facts) if not isinstance(fact, Choice))
        view = View(facts, finder.schema)
        named = [node for node in view.nodes if node.name == variable.name and not node.hidden]
        if not named:
            continue
        by_number = dict(facts)
        found = types_of(individual_of(label_of(named[0])), view.statements, finder)
        return tuple(
            VariableClass(inferred.kind, inferred.axioms, _places(view.behind(inferred.origins), by_number))
            for inferred in found
        )
    return ()


def _around(document: Document, offset: int) -> Iterator[World]:
    """The worlds around an offset, the innermost first; if it is outside of all, all of them."""
    worlds = [world for operation in document.operations for world in worlds_of(operation)]
    inside = [world for world in worlds if world.span.start <= offset <= world.span.end]
    yield from sorted(inside or worlds, key=lambda world: world.span.end - world.span.start if inside else 0)


def _places(numbers: tuple[int, ...], facts: Mapping[int, Fact]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(facts[number].source.span for number in numbers if number in facts))


# -- the classes of an individual --------------------------------------------------------------------------------------

_QUESTION = -1  # the number of the pattern that is not one
_MOST_CANDIDATES = 300


@dataclass(frozen=True, slots=True)
class InferredType:
    """A class, and the axioms and the numbers of the patterns from which it follows."""

    kind: NamedNode
    axioms: tuple[Expression, ...]
    origins: tuple[int, ...]


def types_of(
    individual: NamedNode, statements: Iterable[Statement], finder: ClashFinder, *, most: int = 8
) -> tuple[InferredType, ...]:
    """The named classes of an individual, the most specific ones first; none if the statements have a clash."""
    stated = list(statements)
    if finder.clash_each([stated])[0]:
        return ()
    module = finder.schema.module(statement.axiom for statement in stated)
    used = entities([*module.axioms, *(statement.axiom for statement in stated)])
    candidates = sorted((name for kind, name in used if kind == "Class"), key=str)[:_MOST_CANDIDATES]
    answers = finder.clash_each([[*stated, _outside(individual, kind)] for kind in candidates])
    found = [kind for kind, follows in zip(candidates, answers, strict=True) if follows]
    return tuple(_explained(individual, kind, stated, finder) for kind in _ordered(found, finder)[:most])


def _outside(individual: NamedNode, kind: NamedNode) -> Statement:
    return Statement(Expression("ClassAssertion", Expression("ObjectComplementOf", kind), individual), _QUESTION)


def _ordered(kinds: Sequence[NamedNode], finder: ClashFinder) -> list[NamedNode]:
    """Classes before those above them: a class has more classes above it than each of these has."""
    above = {kind: finder.schema.super_classes(kind) for kind in kinds}
    return sorted(kinds, key=lambda kind: (-sum(other in above[kind] for other in kinds), str(kind)))


def _explained(
    individual: NamedNode, kind: NamedNode, stated: Sequence[Statement], finder: ClashFinder
) -> InferredType:
    clash = finder.find([*stated, _outside(individual, kind)]).clash
    if clash is None:
        return InferredType(kind, (), ())
    return InferredType(kind, clash.axioms, tuple(origin for origin in clash.origins if origin != _QUESTION))


# -- stated classes ----------------------------------------------------------------------------------------------------


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
