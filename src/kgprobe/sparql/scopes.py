"""The scopes of variables: which ones a part of a query binds, aggregates, returns, or only uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Document,
    Element,
    Exists,
    Expression,
    Filter,
    Given,
    GraphGroup,
    Group,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    QueryTree,
    Service,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.traversal import elements_within, has_aggregate, inner_groups, variables_in, walk

__all__ = [
    "NOTHING",
    "Bound",
    "always_has_value",
    "bound_by",
    "bound_by_group",
    "bound_in_row",
    "bound_within",
    "computed_by_query",
    "empty_values",
    "has_row_without_match",
    "is_aggregated",
    "parameters_of",
    "renamed_by",
    "visible_variables",
]


@dataclass(frozen=True)
class Bound:
    """The variables that a part binds for certain, and those that it binds perhaps. The former are among the latter."""

    certain: frozenset[Variable] = frozenset()
    possible: frozenset[Variable] = frozenset()

    def __or__(self, other: Bound) -> Bound:
        return Bound(self.certain | other.certain, self.possible | other.possible)


# -- which variables a part binds --------------------------------------------------------------------------------------


@lru_cache(maxsize=128)  # the groups of one query are asked for again and again
def bound_by_group(group: Group) -> Bound:
    certain: set[Variable] = set()
    possible: set[Variable] = set()
    for element in group.elements:
        before = Bound(frozenset(certain), frozenset(possible)) if isinstance(element, Bind) else NOTHING
        bound = bound_by(element, before)
        certain |= bound.certain
        possible |= bound.possible
    return Bound(frozenset(certain), frozenset(possible))


NOTHING = Bound()


def bound_by(element: Element, before: Bound = NOTHING) -> Bound:  # noqa: C901 - one case for each element
    """The variables that an element of a group binds. A BIND depends on those before it."""
    match element:
        case PlacedTriple():
            variables = variables_of_triple(element)
            return Bound(variables, variables)
        case Bind(expression=expression, variable=variable):
            only = frozenset((variable,))
            return Bound(only if always_has_value(expression, before) else frozenset(), only)
        case Values(variables=variables, rows=rows):
            # In a text that is not SPARQL, rows may have other lengths.
            columns = zip(variables, zip(*rows, strict=False), strict=False)
            full = (variable for variable, column in columns if None not in column)
            return Bound(frozenset(full), frozenset(variables))
        case Optional(group=group):
            return Bound(frozenset(), bound_by_group(group).possible)
        case Union(branches=branches):
            each = [bound_by_group(branch) for branch in branches]
            certain = frozenset.intersection(*(bound.certain for bound in each))
            return Bound(certain, frozenset().union(*(bound.possible for bound in each)))
        case GraphGroup(name=name, group=group):
            names = frozenset((name,) if isinstance(name, Variable) else ())
            return bound_by_group(group) | Bound(names, names)
        case Service(name=name, group=group, labels=labels):
            names = frozenset((name,) if isinstance(name, Variable) else ())
            return Bound(frozenset(), bound_by_group(group).possible | names | labels)
        case Group():
            return bound_by_group(element)
        case QueryTree():
            return bound_by_query(element)
        case Minus() | Filter():
            return Bound()


@dataclass(frozen=True)
class Grouping:
    """The variables that the rows of a group have, and whether a group may have no row."""

    rows: Bound
    may_be_empty: bool


_TESTS = frozenset({"SAMETERM", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"})


def always_has_value(expression: Expression, bound: Bound, grouping: Grouping | None = None) -> bool:
    """Whether an expression has a value for all terms that its variables may stand for.

    `bound` are the variables outside aggregates, and `grouping` is for those inside them.
    """
    match expression:
        case VariableUse(variable=variable):
            return variable in bound.certain or isinstance(variable, Given)
        case Constant() | Exists() | Call(name="BOUND"):
            return True
        case Call(name="COALESCE", arguments=arguments):
            return any(always_has_value(argument, bound, grouping) for argument in arguments)
        case Call(name=name, arguments=arguments):
            return name in _TESTS and all(always_has_value(argument, bound, grouping) for argument in arguments)
        case Aggregate():
            return grouping is not None and _always_aggregates(expression, grouping)


def _always_aggregates(aggregate: Aggregate, grouping: Grouping) -> bool:
    """Whether an aggregate has a value in each group. SUM, AVG and GROUP_CONCAT need values of the right type."""
    argument = aggregate.argument
    if aggregate.name == "COUNT" and (argument is None or isinstance(argument, VariableUse)):
        return True
    # By the standard, COUNT leaves out the rows with an error, but some engines then have no value.
    has_values = argument is not None and always_has_value(argument, grouping.rows)
    if aggregate.name == "COUNT":
        return has_values
    return aggregate.name in ("MIN", "MAX", "SAMPLE") and has_values and not grouping.may_be_empty


def is_aggregated(query: QueryTree) -> bool:
    """Whether the rows of a query are groups of rows of its pattern."""
    return bool(query.groups or query.having) or any(
        has_aggregate(column.expression) for column in query.projected or () if column.expression is not None
    )


def has_row_without_match(query: QueryTree) -> bool:
    """Whether a query has a row even if its pattern does not match: it aggregates all rows, without groups."""
    return is_aggregated(query) and not query.groups


def bound_by_query(query: QueryTree) -> Bound:
    """The variables that a sub-select returns."""
    inner = bound_within(query)
    visible = frozenset(variable for variable in inner.possible if not variable.hidden)
    if query.projected is not None:
        visible = frozenset(column.variable for column in query.projected)
    computed = computed_by_query(query)
    certain = inner.certain & visible - computed.possible
    if has_row_without_match(query):
        certain = frozenset()  # one row, even if nothing matches
    return Bound(certain, inner.possible & visible) | computed


def computed_by_query(query: QueryTree) -> Bound:
    """The variables that a query computes for its rows: `(… AS ?x)`."""
    bound, found = bound_in_row(query), NOTHING
    for column in query.projected or ():
        if column.expression is not None:
            only = frozenset((column.variable,))
            is_certain = always_has_value(column.expression, bound | found, grouping_of(query))
            found |= Bound(only if is_certain else frozenset(), only)
    return found


def bound_in_row(query: QueryTree) -> Bound:
    """The variables that an expression in SELECT or HAVING sees. Of a group, only its keys have one value."""
    bound = bound_within(query)
    if not is_aggregated(query):
        return bound
    keys = frozenset(key.variable for key in query.groups if isinstance(key, Bind | VariableUse))
    return Bound(bound.certain & keys, bound.possible)


def grouping_of(query: QueryTree) -> Grouping | None:
    """How a query groups its rows; None if it does not."""
    return Grouping(bound_within(query), has_row_without_match(query)) if is_aggregated(query) else None


def bound_within(query: QueryTree) -> Bound:
    """The variables that the pattern of a query binds, with its VALUES and the keys of its groups."""
    found = Bound() if query.where is None else bound_by_group(query.where)
    if query.values is not None and not is_aggregated(query):  # VALUES comes after the aggregates
        found |= bound_by(query.values)
    for key in query.groups:
        if isinstance(key, Bind):
            found |= bound_by(key, found)
    return found


def renamed_by(query: QueryTree) -> frozenset[Variable]:
    """The variables of the pattern whose names a query uses for other values: `(SAMPLE(?x) AS ?x)`."""
    computed = frozenset(column.variable for column in query.projected or () if column.expression is not None)
    return computed & bound_within(query).possible


# -- variables that a part uses ----------------------------------------------------------------------------------------


def variables_of_triple(triple: PlacedTriple) -> frozenset[Variable]:
    """The variables of a triple. Those of a path are none."""
    return frozenset([part for part in triple[:3] if isinstance(part, Variable)])


def visible_variables(group: Group) -> set[Variable]:
    """The variables in a group; of a sub-select, only those that it returns."""
    found: set[Variable] = set()
    pending: list[Element] = [group]
    while pending:
        element = pending.pop()
        found |= bound_by(element).possible
        if isinstance(element, Filter):
            found.update(variables_in(element.condition))
        elif isinstance(element, Bind):
            found.update(variables_in(element.expression))
        pending += [inner_element for inner in inner_groups(element) for inner_element in inner.elements]
    return found


def parameters_of(document: Document) -> frozenset[str]:
    """The variables that a text only uses in expressions, and in what it writes: no part of it gives them a value."""
    bound: set[Variable] = set()
    used = {node.variable for node in walk(document.operations) if isinstance(node, VariableUse)}
    for operation in document.operations:
        if isinstance(operation, QueryTree):
            used.update(*map(variables_of_triple, operation.template))
        elif isinstance(operation, Modify):
            graphs = (*operation.deleted, *operation.inserted)
            used.update(*(variables_of_triple(triple) for graph in graphs for triple in graph.triples))
    for element in elements_within(_roots(document.operations)):
        bound |= bound_by(element).possible
        if isinstance(element, QueryTree):
            bound |= bound_within(element).possible | computed_by_query(element).possible
            bound |= set() if element.values is None else set(element.values.variables)
    return frozenset(
        variable.name for variable in used - bound if not variable.hidden and not isinstance(variable, Given)
    )


def empty_values(document: Document) -> Iterator[Values]:
    """The VALUES of a text that have no rows."""
    return (node for node in walk(document.operations) if isinstance(node, Values) and not node.rows)


def _roots(operations: tuple[Operation, ...]) -> Iterator[Element]:
    for operation in operations:
        if isinstance(operation, QueryTree):
            yield operation
        elif isinstance(operation, Modify) and operation.where is not None:
            yield operation.where
