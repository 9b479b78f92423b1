"""Contradictions in simple steps: each step is found, and HermiT confirms what is found in random ontologies."""

from __future__ import annotations

from random import Random

import pytest
from owl.test_modules import random_case, random_ontologies
from reasoners.reasoner_fixtures import needs

from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.queries.derivations import Derivations
from kgprobe.queries.statements import Said, Unit, variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency

_A, _B, _C, _D, _P, _Q = (NamedNode(f"urn:x:{name}") for name in "ABCDpq")
_X, _Y, _Z = map(variable, "xyz")


def _unit(axiom: Expression) -> Unit:
    return frozenset({Said(axiom, "")})


def _is_a(kind: NamedNode, individual: NamedNode) -> Expression:
    return Expression("ClassAssertion", kind, individual)


def _linked(prop: NamedNode, source: NamedNode, target: NamedNode) -> Expression:
    return Expression("ObjectPropertyAssertion", prop, source, target)


_APART = Expression("DisjointClasses", _A, _B)
_OTHERS = Expression("DisjointClasses", _A, _D)


@pytest.mark.parametrize(
    ("axioms", "stated"),
    [
        ([_APART], [_is_a(_A, _X), _is_a(_B, _X)]),
        ([_APART, Expression("SubClassOf", _C, _B)], [_is_a(_A, _X), _is_a(_C, _X)]),
        ([_APART, Expression("ObjectPropertyRange", _P, _B)], [_is_a(_A, _Y), _linked(_P, _X, _Y)]),
        (
            [_APART, Expression("InverseObjectProperties", _P, _Q), Expression("ObjectPropertyRange", _Q, _B)],
            [_is_a(_A, _X), _linked(_P, _X, _Y)],
        ),
        (
            [_APART, Expression("SubClassOf", _C, Expression("ObjectAllValuesFrom", _P, _B))],
            [_is_a(_C, _X), _linked(_P, _X, _Y), _is_a(_A, _Y)],
        ),
        (
            [_APART, Expression("FunctionalObjectProperty", _P)],
            [_linked(_P, _X, _Y), _linked(_P, _X, _Z), _is_a(_A, _Y), _is_a(_B, _Z)],
        ),
        (
            [_APART, Expression("SubClassOf", _C, Expression("ObjectUnionOf", _B, _D)), _OTHERS],
            [_is_a(_C, _X), _is_a(_A, _X)],
        ),
        (
            [
                _APART,
                Expression("SubClassOf", _C, Expression("ObjectUnionOf", _A, _D)),
                Expression("SubClassOf", _D, Expression("ObjectAllValuesFrom", _P, _B)),
            ],
            [_is_a(_C, _X), _is_a(_B, _X), _linked(_P, _X, _Y), _is_a(_A, _Y)],
        ),
        (
            [
                _APART,
                Expression("SubClassOf", _C, Expression("ObjectSomeValuesFrom", _P, _A)),
                Expression("SubClassOf", _D, Expression("ObjectAllValuesFrom", _P, _B)),
            ],
            [_is_a(_C, _X), _is_a(_D, _X)],
        ),
        ([Expression("AsymmetricObjectProperty", _P)], [_linked(_P, _X, _Y), _linked(_P, _Y, _X)]),
        ([Expression("IrreflexiveObjectProperty", _P)], [_linked(_P, _X, _X)]),
        ([Expression("DisjointObjectProperties", _P, _Q)], [_linked(_P, _X, _Y), _linked(_Q, _X, _Y)]),
        ([Expression("SubClassOf", _A, Expression("ObjectComplementOf", _B))], [_is_a(_A, _X), _is_a(_B, _X)]),
    ],
)
def test_all_premises_are_needed(axioms: list[Expression], stated: list[Expression]) -> None:
    units = [_unit(each) for each in stated]
    found = Derivations(axioms).contradictions(units)
    assert [(each.units, each.axioms) for each in found[:1]] == [(frozenset(units), frozenset(axioms))]
    for out in units:
        assert not Derivations(axioms).contradictions([unit for unit in units if unit != out])
    for axiom in axioms:
        assert not Derivations([each for each in axioms if each != axiom]).contradictions(units)


@needs("hermit")
def test_hermit_confirms_the_contradictions() -> None:
    ontologies = [axioms for axioms, _ in random_ontologies(60)]
    confirmed = 0
    with opened("hermit", Limits(20, 1024)) as hermit:
        for seed in range(60):
            ontology, stated = random_case(Random(seed), ontologies)
            for found in Derivations(ontology).contradictions(map(_unit, stated))[:2]:
                parts = [*found.axioms, *(said.axiom for unit in found.units for said in unit)]
                (answer,) = hermit.answer(Ontology(tuple(dict.fromkeys(parts))), [Consistency()])
                assert not answer.decided or answer.value is False, (seed, parts)
                confirmed += answer.decided
    assert confirmed > 5
