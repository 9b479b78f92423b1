"""The facts that hold whenever a group matches: those of its triples, conditions and bindings.

The parts of a group that need not match (OPTIONAL, the branches of a UNION) or that are somewhere else (SERVICE) state
no facts.
"""

from __future__ import annotations

from dataclasses import replace

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import NamedNode
from kgprobe.queries.algebra import (
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
    Optional,
    Part,
    PlacedTriple,
    QueryTree,
    Service,
    Union,
    Values,
    VariableUse,
)
from kgprobe.queries.traversal import conjuncts, has_aggregate, has_exists, variables_in
from kgprobe.sparql.patterns.facts import MAYBE, NEVER, SCOPED, Binding, Choice, Condition, Edge, Fact, Node, Rows
from kgprobe.sparql.patterns.path_edges import Link, ways
from kgprobe.sparql.patterns.scopes import (
    NOTHING,
    Bound,
    Scope,
    bound_by,
    bound_by_group,
    bound_within,
    exists_scope,
    has_row_without_match,
    query_scope,
)

__all__ = ["facts_after", "facts_by_element", "facts_of_group", "facts_of_having", "facts_of_triple"]


def _renamed(expression: Expression, names: dict[Variable, Variable]) -> Expression:
    match expression:
        case VariableUse(variable):
            return replace(expression, variable=names.get(variable, variable))
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(_renamed(each, names) for each in arguments))
        case Aggregate(argument=argument) if argument is not None:
            return replace(expression, argument=_renamed(argument, names))
        case _:
            return expression


def _named(part: Part, scope: Scope) -> Part:
    return scope.of(part) if isinstance(part, Variable) else part


def facts_of_triple(triple: PlacedTriple, scope: Scope) -> list[Fact]:
    s, o = _named(triple.subject, scope), _named(triple.object, scope)
    predicate = triple.predicate
    if isinstance(predicate, Variable | NamedNode):
        return [Edge(s, scope.of(predicate) if isinstance(predicate, Variable) else predicate, o, triple)]
    found = ways(predicate, Link(s, None, o), f"{SCOPED}{triple.span.start}")
    if found is None:
        return []
    made = tuple(tuple(Edge(link.start, link.predicate, link.end, triple) for link in way) for way in found)
    if len(made) == 1:
        return list(made[0])
    return [] if any(not way for way in made) else [Choice(made, triple)]


def _condition(expression: Expression, source: Filter, place: int, bound: Bound, scope: Scope) -> Condition:
    """A condition of a group whose elements bind these variables."""
    names: dict[Variable, Variable] = {}
    for variable in variables_in(expression):
        if variable in bound.certain:
            names[variable] = scope.of(variable)
        elif variable in bound.possible or variable in scope.perhaps:
            names[variable] = _perhaps(variable, place)
        else:
            names[variable] = Variable(f"{variable.name}{SCOPED}{place}{NEVER}", variable.hidden)
    return Condition(_renamed(expression, names), source)


def _facts_of_filter(element: Filter, place: int, bound: Bound, scope: Scope) -> list[Fact]:
    found: list[Fact] = []
    for each in conjuncts(element.condition):
        if isinstance(each, Exists):
            if not each.is_negated:
                inner = exists_scope(each, bound, scope)
                found += facts_of_group(each.group, inner, bound)
        elif not has_exists(each):
            found.append(_condition(each, element, place, bound, scope))
    return found


def _facts_of_query(query: QueryTree, scope: Scope) -> list[Fact]:
    """The facts that hold if a sub-select has a row. If it counts all rows of its pattern, it has one in any case."""
    if query.where is None or has_row_without_match(query):
        return []
    inner = query_scope(query, scope)
    return facts_of_group(query.where, inner) + facts_after(query, inner)


def facts_after(query: QueryTree, scope: Scope) -> list[Fact]:
    """The facts that a query states outside its pattern: in VALUES, GROUP BY, HAVING and the columns of SELECT."""
    bound = bound_within(query)
    start = query.span.start
    found: list[Fact] = []
    if query.values is not None:
        found += _facts_of_rows(query.values, scope)
    columns = (Bind(each.expression, each.variable, each.span) for each in query.projected or () if each.expression)
    for bind in (*(key for key in query.groups if isinstance(key, Bind)), *columns):
        if _is_about_one_row(bind.expression) and bind.variable in bound_by(bind, bound).certain:
            found.append(_binding(bind, scope.of(bind.variable), start, bound, scope))
    found += facts_of_having(query, scope)
    return found


def facts_of_having(query: QueryTree, scope: Scope) -> list[Fact]:
    """The conditions of HAVING, about groups of rows: only the keys of the groups have one value in a group."""
    bound = bound_within(query)
    keys = frozenset(key.variable for key in query.groups if isinstance(key, Bind | VariableUse))
    computed = frozenset(column.variable for column in query.projected or ())
    of_group = Bound(bound.certain & keys, bound.possible | computed)
    return [
        _condition(each, condition, query.span.start, of_group, scope)
        for condition in query.having
        for each in conjuncts(condition.condition)
        if not has_exists(each)
    ]


def _is_about_one_row(expression: Expression) -> bool:
    return not has_aggregate(expression) and not has_exists(expression)


def _binding(element: Bind, variable: Variable, place: int, before: Bound, scope: Scope) -> Binding:
    """A BIND sees only the variables that are bound before it."""
    value = _condition(element.expression, Filter(element.expression, element.span), place, before, scope)
    return Binding(variable, value.expression, element)


def _facts_of_bind(element: Bind, group: Group, scope: Scope, seen: Bound, before: Bound) -> list[Fact]:
    """The value of a variable, unless the expression has an error: then the variable is free, and others may bind it.

    If nothing else in the group binds it, the conditions of the group are about this value, or about no value.
    """
    variable, place = element.variable, group.span.start
    if has_exists(element.expression):
        return []
    if variable in bound_by(element, before).certain:
        return [_binding(element, scope.of(variable), place, before, scope)]
    binders = sum(variable in bound_by(each).possible for each in group.elements)
    if binders > 1 or variable in seen.possible or variable in scope.perhaps:
        return []
    return [_binding(element, _perhaps(variable, place), place, before, scope)]


def _perhaps(variable: Variable, place: int) -> Variable:
    """A variable as the conditions of the group at this place see it, if it may have no value."""
    return Variable(f"{variable.name}{SCOPED}{place}{MAYBE}", variable.hidden)


def _facts_of_rows(element: Values, scope: Scope) -> list[Fact]:
    return [Rows(tuple(map(scope.of, element.variables)), element.rows, element)]


def _facts_of_element(element: Element, place: int, scope: Scope, bound: Bound) -> list[Fact]:
    """The facts that hold whenever the group of the element matches, except for BIND."""
    match element:
        case PlacedTriple():
            return facts_of_triple(element, scope)
        case Filter():
            return _facts_of_filter(element, place, bound, scope)
        case Values():
            return _facts_of_rows(element, scope)
        case GraphGroup(name=name):
            nodes: list[Fact] = [Node(scope.of(name), element)] if isinstance(name, Variable) else []
            return nodes + facts_of_group(element.group, scope)
        case Group():
            return facts_of_group(element, scope)
        case QueryTree():
            return _facts_of_query(element, scope)
        case Optional() | Union() | Minus() | Service() | Bind():
            return []


def facts_by_element(group: Group, scope: Scope, seen: Bound) -> list[list[Fact]]:
    bound = bound_by_group(group) | seen
    before = NOTHING
    found = []
    for element in group.elements:
        if isinstance(element, Bind):
            found.append(_facts_of_bind(element, group, scope, seen, before))
        else:
            found.append(_facts_of_element(element, group.span.start, scope, bound))
        before |= bound_by(element, before)
    return found


def facts_of_group(group: Group, scope: Scope, seen: Bound = NOTHING) -> list[Fact]:
    return [fact for facts in facts_by_element(group, scope, seen) for fact in facts]
