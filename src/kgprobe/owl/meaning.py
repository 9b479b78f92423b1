"""What class expressions and axioms mean: each construct is explained by a few simple ones, in one place.

Whoever wants to know something about classes, such as whether a thing is a member, or whether there can be members,
writes an `Evaluation` of the simple constructs, and `evaluate` evaluates any class expression with it. There are only
names, enumerations, `p Self`, `p value x`, and "at least n", because

    p some C         at least 1 p in C
    p only C         not at least 1 p in (not C)
    p max n C        not at least n + 1 p in C
    p exactly n C    at least n p in C, and not at least n + 1

Negations are pushed inwards, to the simple constructs, because not every question has an answer for the complement
that follows from the answer for the class.

In the same way, `simpler` explains many of the axioms by others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from kgprobe.owl.expression import Argument, Expression, inverse, number
from kgprobe.rdf.terms import OWL, RDFS

__all__ = ["Evaluation", "evaluate", "simpler"]

Place = TypeVar("Place", contravariant=True)
Value = TypeVar("Value")


class Evaluation(Protocol[Place, Value]):
    """The values of the simple constructs for one purpose.

    A place is what membership is asked for, such as an individual. With `is_negated`, the value is that of the
    complement.
    """

    def all_of(self, values: Iterable[Value], /) -> Value:
        """The value of an intersection."""

    def any_of(self, values: Iterable[Value], /) -> Value:
        """The value of a union."""

    def in_class(self, name: Argument, place: Place, /, *, is_negated: bool) -> Value:
        """The value of a named class."""

    def one_of(self, individuals: Sequence[Argument], place: Place, /, *, is_negated: bool) -> Value:
        """The value of an enumeration of individuals."""

    def has_self(self, prop: Argument, place: Place, /, *, is_negated: bool) -> Value:
        """The value of `p Self`."""

    def has_value(self, prop: Argument, individual: Argument, place: Place, /, *, is_negated: bool) -> Value:
        """The value of `p value x`, in which x is an individual."""

    def has_literal(self, prop: Argument, literal: Argument, place: Place, /, *, is_negated: bool) -> Value:
        """The value of `p value x`, in which x is a literal."""

    def at_least(self, least: int, prop: Argument, kind: Argument, place: Place, /, *, is_negated: bool) -> Value:
        """The value of `p min n C`."""

    def at_least_values(
        self, least: int, props: Sequence[Argument], values: Argument, place: Place, /, *, is_negated: bool
    ) -> Value:
        """The value of `p min n R`, in which R is a data range. OWL has a syntax for several properties."""


def evaluate(  # noqa: C901 - one case for each construct
    kind: Argument, evaluation: Evaluation[Place, Value], place: Place, *, is_negated: bool = False
) -> Value:
    """The value of a class expression, or of its complement."""
    if type(kind) is not Expression:
        return evaluation.in_class(kind, place, is_negated=is_negated)
    head, args = kind.head, kind.args
    match head:
        case "ObjectSomeValuesFrom":
            return evaluation.at_least(1, args[0], args[1], place, is_negated=is_negated)
        case "ObjectIntersectionOf" | "ObjectUnionOf":
            values = (evaluate(part, evaluation, place, is_negated=is_negated) for part in args)
            is_union = (head == "ObjectUnionOf") != is_negated
            return evaluation.any_of(values) if is_union else evaluation.all_of(values)
        case "ObjectComplementOf":
            return evaluate(args[0], evaluation, place, is_negated=not is_negated)
        case "ObjectAllValuesFrom":
            others = Expression("ObjectComplementOf", args[1])
            return evaluation.at_least(1, args[0], others, place, is_negated=not is_negated)
        case "ObjectOneOf":
            return evaluation.one_of(args, place, is_negated=is_negated)
        case "ObjectHasSelf":
            return evaluation.has_self(args[0], place, is_negated=is_negated)
        case "ObjectHasValue":
            return evaluation.has_value(args[0], args[1], place, is_negated=is_negated)
        case "DataHasValue":
            return evaluation.has_literal(args[0], args[1], place, is_negated=is_negated)
        case "DataSomeValuesFrom":
            return evaluation.at_least_values(1, args[:-1], args[-1], place, is_negated=is_negated)
        case "DataAllValuesFrom":
            others = Expression("DataComplementOf", args[-1])
            return evaluation.at_least_values(1, args[:-1], others, place, is_negated=not is_negated)
    return _counted(kind, evaluation, place, is_negated=is_negated)


def _counted(kind: Expression, evaluation: Evaluation[Place, Value], place: Place, *, is_negated: bool) -> Value:
    """The value of a cardinality."""
    bound, prop, *of = kind.args

    def at_least(least: int, *, is_negated: bool) -> Value:
        if kind.head.startswith("Object"):
            return evaluation.at_least(least, prop, of[0] if of else OWL.Thing, place, is_negated=is_negated)
        values = of[0] if of else RDFS.Literal
        return evaluation.at_least_values(least, (prop,), values, place, is_negated=is_negated)

    limit = number(bound)
    if kind.head.endswith("MinCardinality"):
        return at_least(limit, is_negated=is_negated)
    no_more = at_least(limit + 1, is_negated=not is_negated)
    if kind.head.endswith("MaxCardinality"):
        return no_more
    both = [at_least(limit, is_negated=is_negated), no_more]
    return evaluation.any_of(both) if is_negated else evaluation.all_of(both)


# -- axioms ------------------------------------------------------------------------------------------------------------


def simpler(axiom: Expression) -> list[Expression]:
    """Axioms of other kinds that together mean the same; none if the axiom is simple itself.

    The simple axioms are those about subclasses, subproperties, domains of object properties, ranges of data
    properties, and single characteristics of properties; that things are disjoint, the same or different; assertions
    and keys. The axiom must be without annotations.
    """
    explain = _SIMPLER.get(axiom.head)
    return [] if explain is None else list(explain(*axiom.args))


def _in_a_circle(head: str) -> Callable[..., Iterator[Expression]]:
    """Several are the same if each is below the next, and the last below the first."""

    def explain(*parts: Argument) -> Iterator[Expression]:
        return (Expression(head, *pair) for pair in pairwise((*parts, parts[0])))

    return explain


def _disjoint_union(whole: Argument, *parts: Argument) -> Iterator[Expression]:
    yield Expression("EquivalentClasses", whole, Expression("ObjectUnionOf", *parts))
    yield Expression("DisjointClasses", *parts)


def _inverse_properties(one: Argument, other: Argument) -> Iterator[Expression]:
    yield Expression("SubObjectPropertyOf", one, inverse(other))
    yield Expression("SubObjectPropertyOf", other, inverse(one))


def _range(prop: Argument, kind: Argument) -> Iterator[Expression]:
    yield Expression("ObjectPropertyDomain", inverse(prop), kind)


def _inverse_functional(prop: Argument) -> Iterator[Expression]:
    yield Expression("FunctionalObjectProperty", inverse(prop))


def _symmetric(prop: Argument) -> Iterator[Expression]:
    yield Expression("SubObjectPropertyOf", prop, inverse(prop))


def _asymmetric(prop: Argument) -> Iterator[Expression]:
    yield Expression("DisjointObjectProperties", prop, inverse(prop))


def _data_domain(prop: Argument, kind: Argument) -> Iterator[Expression]:
    yield Expression("SubClassOf", Expression("DataSomeValuesFrom", prop, RDFS.Literal), kind)


def _transitive(prop: Argument) -> Iterator[Expression]:
    yield Expression("SubObjectPropertyOf", Expression("ObjectPropertyChain", prop, prop), prop)


_SIMPLER: dict[str, Callable[..., Iterator[Expression]]] = {
    "EquivalentClasses": _in_a_circle("SubClassOf"),
    "DisjointUnion": _disjoint_union,
    "EquivalentObjectProperties": _in_a_circle("SubObjectPropertyOf"),
    "EquivalentDataProperties": _in_a_circle("SubDataPropertyOf"),
    "InverseObjectProperties": _inverse_properties,
    "ObjectPropertyRange": _range,
    "InverseFunctionalObjectProperty": _inverse_functional,
    "AsymmetricObjectProperty": _asymmetric,
    "DataPropertyDomain": _data_domain,
    "SymmetricObjectProperty": _symmetric,
    "TransitiveObjectProperty": _transitive,
}
