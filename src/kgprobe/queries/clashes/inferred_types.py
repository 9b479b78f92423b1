"""The classes of a variable that follow from the patterns of a query and the ontology, and why.

A variable is in a class exactly if the patterns contradict the ontology together with the statement that it is not. So
each class is a question for the finder of clashes, and the clash is the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.statements import Statement
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import entities

__all__ = ["InferredType", "types_of"]

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
    module = finder.schema.module(each.axiom for each in stated)
    used = entities([*module.axioms, *(each.axiom for each in stated)])
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
