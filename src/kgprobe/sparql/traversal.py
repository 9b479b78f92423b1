"""Walks through the tree of a query: the groups in an element, the expressions in an expression, all triples.

SERVICE is left out everywhere: another system answers its group, with another vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Element,
    Exists,
    Expression,
    Filter,
    GraphGroup,
    Group,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    QueryTree,
    Union,
    VariableUse,
)

__all__ = [
    "conjuncts",
    "elements_within",
    "expressions_in",
    "has_aggregate",
    "has_exists",
    "inner_groups",
    "triples_in",
    "triples_within",
    "variables_in",
]

# -- expressions -------------------------------------------------------------------------------------------------------


def expressions_in(expression: Expression) -> Iterator[Expression]:
    """The expression and all expressions in it, without those of the groups in it."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        if isinstance(current, Call):
            pending += reversed(current.arguments)
        elif isinstance(current, Aggregate) and current.argument is not None:
            pending.append(current.argument)


def variables_in(expression: Expression) -> Iterator[Variable]:
    """The variables of an expression, without those of the groups in it."""
    return (each.variable for each in expressions_in(expression) if isinstance(each, VariableUse))


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The expressions that are all true if the expression is."""
    pending = [expression]
    while pending:
        current = pending.pop()
        if isinstance(current, Call) and current.name == "&&":
            pending += reversed(current.arguments)
        else:
            yield current


def has_exists(expression: Expression) -> bool:
    """Whether EXISTS or NOT EXISTS is in an expression."""
    return any(isinstance(part, Exists) for part in expressions_in(expression))


def has_aggregate(expression: Expression) -> bool:
    """Whether an expression is about several rows: COUNT, SUM or another aggregate is in it."""
    return any(isinstance(part, Aggregate) for part in expressions_in(expression))


# -- groups ------------------------------------------------------------------------------------------------------------


def inner_groups(element: Element) -> Iterator[Group]:
    """The groups directly in an element, those of EXISTS included. A sub-select is not one: it has its own scope."""
    match element:
        case Optional(group=group) | Minus(group=group) | GraphGroup(group=group):
            yield group
        case Union(branches=branches):
            yield from branches
        case Group():
            yield element
        case Filter(condition=expression) | Bind(expression=expression):
            yield from (each.group for each in expressions_in(expression) if isinstance(each, Exists))
        case _:
            pass


def elements_within(elements: Iterable[Element]) -> Iterator[Element]:
    """Some elements and all elements in them, at any depth and in sub-selects, too, in the order of the text."""
    for element in elements:
        yield element
        if isinstance(element, QueryTree):
            yield from elements_within(() if element.where is None else element.where.elements)
        for group in inner_groups(element):
            yield from elements_within(group.elements)


def triples_within(elements: Iterable[Element]) -> Iterator[PlacedTriple]:
    """The triple patterns of some elements, at any depth, in the order of the text."""
    return (each for each in elements_within(elements) if isinstance(each, PlacedTriple))


def triples_in(operations: Iterable[Operation]) -> Iterator[PlacedTriple]:
    """All triples of queries and updates, in templates and patterns."""
    for operation in operations:
        if isinstance(operation, QueryTree):
            yield from operation.template
            yield from triples_within([operation])
        elif isinstance(operation, Modify):
            for graph in (*operation.deleted, *operation.inserted):
                yield from graph.triples
            yield from triples_within([] if operation.where is None else [operation.where])
