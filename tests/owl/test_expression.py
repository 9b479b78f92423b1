"""Expressions as values, and the kinds of their arguments."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from kgprobe.owl.expression import (
    Expression,
    inner,
    name,
    number,
    split_annotations,
    term,
    without_annotations,
)
from kgprobe.owl.grammar import argument_kinds, contents_of
from kgprobe.rdf.terms import OWL, RDFS, XSD, Literal, NamedNode

A, B, P, D = (NamedNode(f"http://example.org/{local}") for local in "ABpd")
NOTE = Expression("Annotation", RDFS.comment, Literal("why"))


def test_an_expression_has_a_head_and_arguments_and_is_compared_by_value() -> None:
    axiom = Expression("SubClassOf", A, Expression("ObjectSomeValuesFrom", P, B))
    assert (axiom.head, axiom.args[0], inner(axiom.args[1]).head) == ("SubClassOf", A, "ObjectSomeValuesFrom")
    assert {axiom} == {Expression("SubClassOf", A, Expression("ObjectSomeValuesFrom", P, B))}
    assert axiom != Expression("SubClassOf", A, B)


def _pickled(value: Expression) -> Expression:
    found: Expression = pickle.loads(pickle.dumps(value))  # noqa: S301 - made one line before
    return found


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, _pickled])
def test_copies_are_expressions(again: Callable[[Expression], Expression]) -> None:
    axiom = Expression("SubClassOf", Expression("ObjectComplementOf", A), B)
    made = again(axiom)
    assert type(made) is Expression
    assert type(made.args[0]) is Expression
    assert made == axiom


def test_annotations_are_the_leading_arguments() -> None:
    axiom = Expression("SubClassOf", NOTE, A, B)
    assert split_annotations(axiom) == ([NOTE], (A, B))
    assert without_annotations(axiom) == Expression("SubClassOf", A, B)


@pytest.mark.parametrize(("check", "wrong"), [(term, NOTE), (term, 2), (name, Literal("x")), (number, A), (inner, A)])
def test_an_argument_of_another_type_is_refused(check: object, wrong: object) -> None:
    with pytest.raises(TypeError):
        check(wrong)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("head", "count", "kinds"),
    [
        ("DisjointClasses", 3, ("Class", "Class", "Class")),
        ("ObjectMinCardinality", 2, (None, "ObjectProperty")),
        ("ObjectMinCardinality", 3, (None, "ObjectProperty", "Class")),
        ("DataSomeValuesFrom", 3, ("DataProperty", "DataProperty", "Datatype")),
        ("DatatypeRestriction", 5, ("Datatype", None, "Literal", None, "Literal")),
        ("AnnotationAssertion", 3, ("AnnotationProperty", None, None)),
        ("SubObjectPropertyOf", 2, ("ObjectProperty", "ObjectProperty")),
    ],
)
def test_kinds_of_arguments(head: str, count: int, kinds: tuple[str | None, ...]) -> None:
    assert argument_kinds(head, count) == kinds


def test_contents_of_a_key() -> None:
    inverse = Expression("ObjectInverseOf", P)
    found = contents_of(Expression("HasKey", NOTE, A, Expression("", inverse), Expression("", D)))
    assert sorted(found.names, key=str) == [("Class", A), ("DataProperty", D), ("ObjectProperty", P)]
    assert [each.head for each in found.expressions] == ["HasKey", "ObjectInverseOf"]
    assert found.annotation_properties == [RDFS.comment]


def test_contents_of_a_data_range() -> None:
    one = Literal("1", datatype=XSD.integer)
    limited = Expression("DatatypeRestriction", XSD.integer, XSD.minInclusive, one)
    found = contents_of(Expression("SubClassOf", OWL.Thing, Expression("DataAllValuesFrom", D, limited)))
    expected = [("Class", OWL.Thing), ("DataProperty", D), ("Datatype", XSD.integer), ("Literal", one)]
    assert found.names == expected
