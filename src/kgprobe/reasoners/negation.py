"""The refutations of an axiom: how an entailment becomes a question of consistency.

An ontology entails an axiom exactly if it is inconsistent with each of the axiom's refutations: sets of axioms about
fresh individuals that state one way for the axiom to be false. "No p leads from x to y" is expressed with a fresh class
that y is a member of, instead of a negative assertion: the meaning is the same, and more reasoners handle it correctly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, inner, inverse, is_headed
from kgprobe.owl.meaning import simpler
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import entities
from kgprobe.reasoners.rephrase import negated

_Refutation: TypeAlias = list[Expression]

_FRESH = "urn:kgprobe:fresh:"
_X, _Y, _Z = (NamedNode(_FRESH + name) for name in "xyz")
_MARK = NamedNode(_FRESH + "Mark")


def refutations(axiom: Expression) -> list[_Refutation] | None:
    """The ways in which the axiom can be false; None if OWL 2 cannot state them."""
    make = _REFUTATIONS.get(axiom.head)
    if make is not None:
        return list(make(*axiom.args)) or None
    # It is false if one of the axioms that explain it is.
    ways: list[_Refutation] = []
    for part in simpler(axiom):
        found = refutations(part)
        if found is None:
            return None
        ways += found
    return ways or None


def makes_up_individuals(ways: list[_Refutation]) -> bool:
    """Whether a refutation names individuals that the ontology lacks. Keys apply to named individuals only."""
    names = {name.value for way in ways for kind, name in entities(way) if kind == "NamedIndividual"}
    return any(name.startswith(_FRESH) for name in names)


def _is(individual: Argument, kind: Argument) -> Expression:
    return Expression("ClassAssertion", kind, individual)


def _linked(prop: Argument, source: Argument, target: Argument) -> Expression:
    if type(prop) is Expression:
        prop, source, target = inverse(prop), target, source
    return Expression("ObjectPropertyAssertion", prop, source, target)


def _unlinked(prop: Argument, source: Argument, target: Argument) -> list[Expression]:
    if type(prop) is Expression:
        prop, source, target = inverse(prop), target, source
    return [_is(target, _MARK), _is(source, Expression("ObjectAllValuesFrom", prop, negated(_MARK)))]


def _sub_class(lower: Argument, upper: Argument) -> Iterator[_Refutation]:
    yield [_is(_X, lower), _is(_X, negated(upper))]


def _disjoint_classes(*parts: Argument) -> Iterator[_Refutation]:
    for first, second in combinations(parts, 2):
        yield [_is(_X, first), _is(_X, second)]


def _sub_property(lower: Argument, upper: Argument) -> Iterator[_Refutation]:
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    stations: list[Argument] = [_X, *(NamedNode(f"{_FRESH}{n}") for n in range(1, len(steps))), _Y]
    path = [_linked(step, *ends) for step, ends in zip(steps, pairwise(stations), strict=True)]
    yield [*path, *_unlinked(upper, _X, _Y)]


def _disjoint_properties(*parts: Argument) -> Iterator[_Refutation]:
    for first, second in combinations(parts, 2):
        yield [_linked(first, _X, _Y), _linked(second, _X, _Y)]


def _domain(prop: Argument, kind: Argument) -> Iterator[_Refutation]:
    yield [_linked(prop, _X, _Y), _is(_X, negated(kind))]


def _functional(prop: Argument) -> Iterator[_Refutation]:
    yield [_linked(prop, _X, _Y), _linked(prop, _X, _Z), Expression("DifferentIndividuals", _Y, _Z)]


def _reflexive(prop: Argument) -> Iterator[_Refutation]:
    yield _unlinked(prop, _X, _X)


def _irreflexive(prop: Argument) -> Iterator[_Refutation]:
    yield [_linked(prop, _X, _X)]


def _data_range(prop: Argument, values: Argument) -> Iterator[_Refutation]:
    yield [_is(_X, Expression("DataSomeValuesFrom", prop, Expression("DataComplementOf", values)))]


def _functional_data(prop: Argument) -> Iterator[_Refutation]:
    yield [_is(_X, Expression("DataMinCardinality", 2, prop))]


def _key(kind: Argument, objects: Argument, data: Argument) -> Iterator[_Refutation]:
    if inner(data).args:
        return  # OWL cannot state that two individuals share an unnamed value
    shared: _Refutation = [
        _linked(prop, individual, NamedNode(f"{_FRESH}{n}"))
        for n, prop in enumerate(inner(objects).args)
        for individual in (_X, _Y)
    ]
    yield [_is(_X, kind), _is(_Y, kind), *shared, Expression("DifferentIndividuals", _X, _Y)]


def _same(*parts: Argument) -> Iterator[_Refutation]:
    for pair in pairwise(parts):
        yield [Expression("DifferentIndividuals", *pair)]


def _different(*parts: Argument) -> Iterator[_Refutation]:
    for pair in combinations(parts, 2):
        yield [Expression("SameIndividual", *pair)]


def _class_assertion(kind: Argument, individual: Argument) -> Iterator[_Refutation]:
    yield [_is(individual, negated(kind))]


def _assertion(prop: Argument, source: Argument, target: Argument) -> Iterator[_Refutation]:
    yield _unlinked(prop, source, target)


def _negative_assertion(prop: Argument, source: Argument, target: Argument) -> Iterator[_Refutation]:
    yield [_linked(prop, source, target)]


def _data_assertion(prop: Argument, source: Argument, value: Argument) -> Iterator[_Refutation]:
    others = Expression("DataComplementOf", Expression("DataOneOf", value))
    yield [_is(source, Expression("DataAllValuesFrom", prop, others))]


def _negative_data_assertion(prop: Argument, source: Argument, value: Argument) -> Iterator[_Refutation]:
    yield [Expression("DataPropertyAssertion", prop, source, value)]


# The other axioms are explained by these.
_REFUTATIONS: dict[str, Callable[..., Iterator[_Refutation]]] = {
    "SubClassOf": _sub_class,
    "DisjointClasses": _disjoint_classes,
    "SubObjectPropertyOf": _sub_property,
    "DisjointObjectProperties": _disjoint_properties,
    "ObjectPropertyDomain": _domain,
    "FunctionalObjectProperty": _functional,
    "ReflexiveObjectProperty": _reflexive,
    "IrreflexiveObjectProperty": _irreflexive,
    "DataPropertyRange": _data_range,
    "FunctionalDataProperty": _functional_data,
    "HasKey": _key,
    "SameIndividual": _same,
    "DifferentIndividuals": _different,
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "DataPropertyAssertion": _data_assertion,
    "NegativeDataPropertyAssertion": _negative_data_assertion,
}
