"""Variables in expressions that have no value where they stand: mistyped, bound later, or bound in another scope.

A FILTER that is never true because of such a variable is not reported here: it is a conflict, with a proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kgprobe.queries.patterns.demands import needed_for_truth
from kgprobe.queries.patterns.facts import unless_bound_before
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Exists,
    Expression,
    Filter,
    Given,
    GraphGroup,
    Group,
    Modify,
    Operation,
    Optional,
    QueryTree,
    Span,
    VariableUse,
)
from kgprobe.sparql.scopes import bound_by, bound_by_group, bound_in_row, bound_within
from kgprobe.sparql.traversal import expressions_in, inner_groups, replaced, variables_in

__all__ = ["Unbound", "unbound_variables"]

_NONE: frozenset[Variable] = frozenset()


@dataclass(frozen=True)
class Unbound:
    """A variable without a value, where it stands, and a sentence about it."""

    variable: Variable
    span: Span
    message: str
    in_filter: bool = False


def unbound_variables(operation: Operation) -> Iterator[Unbound]:
    """The variables in the expressions of a query or an update that have no value where they stand."""
    if isinstance(operation, QueryTree):
        yield from _in_query(operation, _Seen())
    elif isinstance(operation, Modify) and operation.where is not None:
        yield from _in_group(operation.where, _Seen())


@dataclass(frozen=True)
class _Seen:
    """The variables from outside that expressions see: those around an EXISTS, and in an OPTIONAL, those before it.

    Only some engines see the names of `graphs`. All others have a value only `elsewhere`.
    """

    variables: frozenset[Variable] = _NONE
    by_filters: frozenset[Variable] = _NONE
    graphs: frozenset[Variable] = _NONE
    elsewhere: frozenset[Variable] = _NONE


# -- queries -----------------------------------------------------------------------------------------------------------


def _in_query(query: QueryTree, seen: _Seen) -> Iterator[Unbound]:
    if query.where is None:
        return
    yield from _in_group(query.where, replace(seen, by_filters=_NONE, elsewhere=_NONE))
    rows = bound_within(query).possible | seen.variables
    for key in query.groups:
        expression = key.expression if isinstance(key, Bind) else key
        yield from _in_expression(expression, rows, seen, "so that it groups nothing")
    row = bound_in_row(query).possible | seen.variables
    for column in query.projected or ():
        if column.expression is not None:
            yield from _in_expression(column.expression, row, seen, f"so that {column.variable} has no value")
            row |= {column.variable}
    for having in query.having:
        yield from _in_filter(having, row, seen)
    for order in query.order:
        yield from _in_expression(order, row, seen, "so that it orders nothing")


# -- groups ------------------------------------------------------------------------------------------------------------


def _in_group(group: Group, seen: _Seen) -> Iterator[Unbound]:
    before = _NONE
    whole = bound_by_group(group).possible
    inside = replace(seen, by_filters=_NONE, elsewhere=seen.elsewhere | whole)
    for element in group.elements:
        match element:
            case Bind(expression=expression, variable=variable):
                why = f"so that {variable} has no value"
                yield from _in_expression(expression, before | seen.variables, inside, why)
            case Filter():
                yield from _in_filter(element, whole | seen.variables | seen.by_filters, inside)
            case Optional(group=inner):
                yield from _in_group(inner, replace(inside, by_filters=before))
            case QueryTree():
                yield from _in_query(element, inside)
            case GraphGroup(name=Variable() as name, group=inner):
                yield from _in_group(inner, replace(inside, graphs=seen.graphs | {name}))
            case _:
                for inner in inner_groups(element):
                    yield from _in_group(inner, inside)
        before |= bound_by(element).possible


# -- expressions -------------------------------------------------------------------------------------------------------


def _in_filter(element: Filter, bound: frozenset[Variable], seen: _Seen) -> Iterator[Unbound]:
    proven = needed_for_truth(_of_one_row(element.condition)) - bound - seen.graphs
    for each in _in_expression(element.condition, bound, seen, "so that this part of the condition has an error"):
        if each.variable not in proven:
            yield replace(each, in_filter=True)


def _of_one_row(expression: Expression) -> Expression:
    """The expression with the arguments of aggregates instead of these, which are an error if all arguments are."""
    return replaced(expression, _argument)


def _argument(part: Expression) -> Expression | None:
    return part.argument if isinstance(part, Aggregate) and part.name != "COUNT" else None


def _in_expression(expression: Expression, bound: frozenset[Variable], seen: _Seen, why: str) -> Iterator[Unbound]:
    """The variables of an expression that are not bound. BOUND and COALESCE ask for that on purpose."""
    parts = [part for part in expressions_in(expression) if isinstance(part, Call) and part.name == "BOUND"]
    bound |= {variable for part in parts for variable in variables_in(part)}
    pending: list[tuple[Expression, str, str]] = [(expression, "", why)]
    while pending:
        current, function, why = pending.pop()
        match current:
            case VariableUse(variable=variable, span=span):
                if not (variable.hidden or variable in bound or isinstance(variable, Given)):
                    yield Unbound(variable, span, _message(variable, seen, why, function))
            case Exists(group=group):
                yield from _in_group(group, replace(seen, variables=seen.variables | bound))
            case Aggregate(name=name, argument=argument) if argument is not None:
                pending.append((argument, function, "so that the count is always 0" if name == "COUNT" else why))
            case Call(name=name, arguments=arguments) if name not in ("BOUND", "COALESCE"):
                function = f"<{name.strip('<>')}>" if current.is_extension else function
                pending += [(each, function, why) for each in reversed(arguments)]


def _message(variable: Variable, seen: _Seen, why: str, function: str) -> str:
    if variable in seen.graphs:
        return (
            f"by the standard, {variable} has no value inside its own GRAPH {variable} {{ … }}, though some engines see"
            " it there: use it after the group"
        )
    provisos = [unless_bound_before(variable), f"unless {function} does without it" if function else ""]
    proviso = "; ".join(filter(None, provisos))
    where = (
        "is bound only later or in another scope, and has no value here"
        if variable in seen.elsewhere
        else "is never bound here"
    )
    return f"{variable} {where}, {why}" + (f" ({proviso})" if proviso else "")
