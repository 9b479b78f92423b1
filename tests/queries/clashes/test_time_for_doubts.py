# ruff: noqa: E501 - one line for each axiom
"""What the fast reasoner may have missed is looked for in the time that a query has, and the limit that ends that is named."""

from __future__ import annotations

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.schema import Schema
from kgprobe.queries.statements import Statement
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import Ontology
from queries.checks import ENGINES

A, B, P, X, Y = (NamedNode(f"urn:{name}") for name in "ABpxy")
# Each A has another A behind it, and nothing is in front of a B: all models are infinite, so none is small.
ENDLESS = (
    Expression("SubClassOf", A, Expression("ObjectSomeValuesFrom", P, A)),
    Expression("SubClassOf", B, A),
    Expression("EquivalentClasses", B, Expression("ObjectOneOf", Y)),  # which the fast reasoner may get wrong
    Expression("InverseFunctionalObjectProperty", P),
    Expression("SubClassOf", B, Expression("ObjectAllValuesFrom", Expression("ObjectInverseOf", P), Expression("ObjectComplementOf", A))),
    Expression("SubClassOf", Expression("ObjectComplementOf", A), Expression("ObjectAllValuesFrom", P, Expression("ObjectComplementOf", A))),
)  # fmt: skip
STATED = [Statement(Expression("ClassAssertion", B, X), 0)]


def _finder() -> ClashFinder:
    schema = Schema(Graph())
    schema.__dict__["ontology"] = Ontology(ENDLESS)  # as if read from a graph
    return ClashFinder(schema, ENGINES)


def test_the_limit_is_the_one_that_ended_the_search() -> None:
    finder = _finder()
    finder.start_query(seconds=0.0)
    found = finder.find(STATED)
    assert (found.decided, found.why) == (False, "the 0 seconds for this query are over")


def test_there_is_time_after_an_error() -> None:
    finder = _finder()
    finder.start_query()
    finder.hurry()
    found = finder.find(STATED)
    assert found.decided or "mended" not in found.why
