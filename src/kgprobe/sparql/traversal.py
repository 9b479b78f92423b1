"""The visitor of the algebra: the parts of a part, all parts at any depth, and copies in which some are replaced.

SERVICE is left out everywhere: another system answers its group, with another vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

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
    GraphTriples,
    Group,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    Projected,
    QueryTree,
    Union,
    VariableUse,
)

__all__ = [
    "Node",
    "conjuncts",
    "elements_within",
    "expressions_in",
    "has_aggregate",
    "has_exists",
    "inner_groups",
    "replaced",
    "triples_within",
    "variables_in",
    "walk",
    "without_negation",
]

Node: TypeAlias = Operation | Element | Expression | Projected | GraphTriples


def _parts_of_query(query: QueryTree) -> Iterator[Node]:
    yield from query.projected or ()
    yield from query.template
    yield from query.described
    if query.where is not None:
        yield query.where
    yield from query.groups
    yield from query.having
    yield from query.order
    if query.values is not None:
        yield query.values


def _parts_of_update(update: Modify) -> Iterator[Node]:
    yield from update.deleted
    yield from update.inserted
    if update.where is not None:
        yield update.where


def _group(node: Any) -> tuple[Node, ...]:
    return (node.group,)


def _expression(node: Bind | Projected) -> tuple[Node, ...]:
    return () if node.expression is None else (node.expression,)


# The direct parts of each kind of node that has any.
_PARTS: dict[type, Callable[[Any], Iterable[Node]]] = {
    Call: lambda call: call.arguments,
    Aggregate: lambda aggregate: () if aggregate.argument is None else (aggregate.argument,),
    Exists: _group,
    Filter: lambda element: (element.condition,),
    Bind: _expression,
    Projected: _expression,
    Optional: _group,
    Minus: _group,
    GraphGroup: _group,
    Union: lambda union: union.branches,
    Group: lambda group: group.elements,
    QueryTree: _parts_of_query,
    Modify: _parts_of_update,
    GraphTriples: lambda graph: graph.triples,
}
_EXPRESSIONS = (Call, Aggregate)  # those that have expressions in them


def parts_of(node: Node) -> tuple[Node, ...]:
    """The direct parts of a part of a query or an update, in the order of the text."""
    parts = _PARTS.get(type(node))
    return () if parts is None else tuple(parts(node))


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Some parts and all parts in them, at any depth, in the order of the text."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        pending += parts_of(node)[::-1]


# -- expressions -------------------------------------------------------------------------------------------------------


def expressions_in(expression: Expression) -> Iterator[Expression]:
    """The expression and all expressions in it, without those of the groups in it."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        if isinstance(current, _EXPRESSIONS):
            pending += parts_of(current)[::-1]  # type: ignore[arg-type]  # all of them are expressions


def variables_in(expression: Expression) -> Iterator[Variable]:
    """The variables of an expression, without those of the groups in it."""
    return (part.variable for part in expressions_in(expression) if isinstance(part, VariableUse))


def expressions_of(query: QueryTree) -> Iterator[Expression]:
    """The expressions of a query outside its pattern: those of its columns, its groups, HAVING and ORDER BY."""
    yield from (column.expression for column in query.projected or () if column.expression is not None)
    yield from (key.expression if isinstance(key, Bind) else key for key in query.groups)
    yield from (having.condition for having in query.having)
    yield from query.order


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The expressions that are all true if the expression is."""
    pending = [expression]
    while pending:
        current = pending.pop()
        if isinstance(current, Call) and current.name == "&&":
            pending += reversed(current.arguments)
        else:
            yield current


def without_negation(expression: Expression) -> tuple[Expression, bool]:
    """The expression without a sign of negation before it, and whether it has one."""
    if isinstance(expression, Call) and expression.name == "!":
        return expression.arguments[0], True
    return expression, False


def has_exists(expression: Expression) -> bool:
    """Whether EXISTS or NOT EXISTS is in an expression."""
    return any(isinstance(part, Exists) for part in expressions_in(expression))


def has_aggregate(expression: Expression) -> bool:
    """Whether an expression is about several rows: COUNT, SUM or another aggregate is in it."""
    return any(isinstance(part, Aggregate) for part in expressions_in(expression))


def replaced(expression: Expression, by: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with other parts. `by` tells what to put in place of a part; None to look at the parts of it."""
    new = by(expression)
    if new is not None:
        return new
    if isinstance(expression, Call):
        return replace(expression, arguments=tuple(replaced(argument, by) for argument in expression.arguments))
    if isinstance(expression, Aggregate) and expression.argument is not None:
        return replace(expression, argument=replaced(expression.argument, by))
    return expression


# -- groups ------------------------------------------------------------------------------------------------------------


def inner_groups(element: Element) -> Iterator[Group]:
    """The groups directly in an element, those of EXISTS included. A sub-select is not one: it has its own scope."""
    return _first_groups([] if isinstance(element, QueryTree) else [element])


def _first_groups(nodes: Iterable[Node]) -> Iterator[Group]:
    """The outermost groups in some parts."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, Group):
            yield node
        else:
            pending += parts_of(node)[::-1]


def elements_within(elements: Iterable[Element]) -> Iterator[Element]:
    """Some elements and all elements in them, at any depth and in sub-selects, too, in the order of the text."""
    pending = list(elements)[::-1]
    while pending:
        element = pending.pop()
        yield element
        groups = _first_groups(parts_of(element)) if isinstance(element, QueryTree) else inner_groups(element)
        pending += [inner for group in groups for inner in group.elements][::-1]


def triples_within(nodes: Iterable[Node]) -> Iterator[PlacedTriple]:
    """The triples of some parts of a query or an update, at any depth, those of templates included."""
    return (node for node in walk(nodes) if isinstance(node, PlacedTriple))
