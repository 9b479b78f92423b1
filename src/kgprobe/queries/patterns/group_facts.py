"""The facts that hold whenever a group matches: those of its triples, paths, conditions and bindings.

The parts of a group that need not match (the branches of a UNION, most OPTIONALs) or that are somewhere else (SERVICE)
state no facts. `scopes` tells which OPTIONALs must match.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from kgprobe.queries.filters.expressions import identity
from kgprobe.queries.patterns.facts import (
    Binding,
    Choice,
    Condition,
    Edge,
    Fact,
    Node,
    Presence,
    Rows,
    Scope,
    ScopedVariable,
    Walk,
    bound_if_demanded,
    demanded,
    exists_scope,
    needed_in,
    query_scope,
    scope_inside,
    scoped,
)
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Element,
    Exists,
    Expression,
    Filter,
    Given,
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
from kgprobe.sparql.paths import (
    AlternativePath,
    EdgePath,
    NegatedPath,
    Path,
    RepeatedPath,
    SequencePath,
    directed,
    legs,
)
from kgprobe.sparql.scopes import (
    NOTHING,
    Bound,
    always_has_value,
    bound_by,
    bound_by_group,
    bound_in_row,
    bound_within,
    computed_by_query,
    has_row_without_match,
    is_aggregated,
    renamed_by,
)
from kgprobe.sparql.source import is_computed
from kgprobe.sparql.traversal import conjuncts, has_exists, variables_in

# Paths with more ways than this prove nothing: each way is a question for the reasoner.
_MOST_WAYS = 12


class Step(NamedTuple):
    """An edge between two nodes. Without a predicate, it may be any. A walk is one or several edges in a row."""

    start: Part
    predicate: NamedNode | None
    end: Part
    is_walk: bool = False


def ways(path: Path, ends: Step, place: int) -> list[tuple[Step, ...]] | None:
    """The ways in which a path connects two ends; None if there are too many.

    A way has the edges that it needs: none if the path may have no step, only the first and the last for a repetition.
    Nodes between the ends are hidden variables of the path at this place.
    """
    return _Ways(place).of(path, ends)


def _edge(ends: Step, predicate: NamedNode | None, *, backwards: bool) -> Step:
    start, end = directed(ends.start, ends.end, backwards=backwards)
    return Step(start, predicate, end)


class _Ways:
    def __init__(self, place: int) -> None:
        self._place = place
        self._made = 0

    def _between(self) -> Variable:
        self._made += 1
        return ScopedVariable("", hidden=True, scopes=(self._place, self._made))

    def of(self, path: Path, ends: Step) -> list[tuple[Step, ...]] | None:
        match path:
            case EdgePath(edges):
                found: list[tuple[Step, ...]] = [
                    (_edge(ends, predicate, backwards=backwards),)
                    for predicate, backwards in sorted(edges, key=lambda edge: (edge[0].value, edge[1]))
                ]
                return found if len(found) <= _MOST_WAYS else None
            case NegatedPath(backwards=backwards):
                return [(_edge(ends, None, backwards=backwards),)]
            case SequencePath(parts):
                steps = legs(ends.start, parts, ends.end, self._between)
                return self._joined([self.of(part, Step(start, None, end)) for start, part, end in steps])
            case AlternativePath(parts):
                return self._either([self.of(part, ends) for part in parts])
            case RepeatedPath(may_be_none=True):
                return [()]
            case RepeatedPath(inner=inner):
                # One step is the first and the last at once: then the two hidden nodes are the ends.
                first = self.of(inner, Step(ends.start, None, self._between()))
                last = self.of(inner, Step(self._between(), None, ends.end))
                walk: list[tuple[Step, ...]] = [()]
                if isinstance(inner, EdgePath) and len(inner.edges) == 1:
                    walk = [tuple(link._replace(is_walk=True) for link in way) for way in self.of(inner, ends) or ()]
                return self._joined([first, last, walk])

    def _joined(self, parts: list[list[tuple[Step, ...]] | None]) -> list[tuple[Step, ...]] | None:
        """All ways of all parts together. A part with too many ways adds nothing."""
        known = [part for part in parts if part is not None]
        count = 1
        for part in known:
            count *= len(part)
        if count > _MOST_WAYS:
            return None
        return [tuple(link for way in choice for link in way) for choice in product(*known)]

    def _either(self, parts: list[list[tuple[Step, ...]] | None]) -> list[tuple[Step, ...]] | None:
        found: list[tuple[Step, ...]] = []
        for part in parts:
            if part is None:
                return None
            found += part
        return found if len(found) <= _MOST_WAYS else None


# -- triples -----------------------------------------------------------------------------------------------------------


def _named(part: Part, scope: Scope) -> Part:
    return scope.of(part) if isinstance(part, Variable) else part


def facts_of_triple(triple: PlacedTriple, scope: Scope) -> list[Fact]:
    s, o = _named(triple.subject, scope), _named(triple.object, scope)
    predicate = triple.predicate
    if isinstance(predicate, Given) and not predicate.hidden:
        return []  # in SHACL, a whole path takes its place
    if isinstance(predicate, NamedNode) and is_computed(predicate):
        return []
    if isinstance(predicate, Variable | NamedNode):
        return [Edge(s, scope.of(predicate) if isinstance(predicate, Variable) else predicate, o, triple)]
    found = ways(predicate, Step(s, None, o), triple.span.start)
    if found is None:
        return []
    made = tuple(tuple(_of_links(way, triple)) for way in found)
    if len(made) == 1:
        return list(made[0])
    return [] if any(not way for way in made) else [Choice(made, triple)]


def _of_links(way: Iterable[Step], triple: PlacedTriple) -> Iterator[Edge | Walk]:
    for start, name, end, is_walk in way:
        if name is None or not is_computed(name):
            yield Walk(start, name, end, triple) if is_walk and name is not None else Edge(start, name, end, triple)


@dataclass(frozen=True)
class _Sight:
    """The variables that an expression sees, at one place of the query; `rows` are those that its aggregates see."""

    bound: Bound
    place: int
    scope: Scope
    rows: Bound = NOTHING
    is_grouped: bool = False  # by GROUP BY, so that each group has a row

    def of(self, variable: Variable) -> Variable:
        """The variable with the name that tells whether it has a value there."""
        if variable in self.bound.certain or isinstance(variable, Given):
            return self.scope.of(variable)
        if variable in self.bound.possible or variable in self.scope.perhaps:
            return _perhaps(variable, self.place)
        return scoped(variable, self.place, Presence.NEVER)

    def named(self, expression: Expression) -> Expression:
        """The expression with these names."""
        match expression:
            case VariableUse(variable):
                return replace(expression, variable=self.of(variable))
            case Call(arguments=arguments):
                return replace(expression, arguments=tuple(map(self.named, arguments)))
            case Aggregate(argument=argument):
                has_rows = self.is_grouped and (argument is None or always_has_value(argument, self.rows))
                seen = None if argument is None else replace(self, bound=self.rows).named(argument)
                return replace(expression, argument=seen, has_rows=has_rows)
            case _:
                return expression


def _facts_of_filter(element: Filter, place: int, bound: Bound, scope: Scope, demanded: Bound) -> list[Fact]:
    found: list[Fact] = []
    for conjunct in conjuncts(element.condition):
        if isinstance(conjunct, Exists):
            if not conjunct.is_negated:
                inner = exists_scope(conjunct, bound, scope)
                found += facts_of_group(conjunct.group, inner, bound)
        elif not has_exists(conjunct):
            is_demand = not demanded.certain.isdisjoint(variables_in(conjunct))
            found.append(Condition(_Sight(bound, place, scope).named(conjunct), element, is_demand))
    return found


# -- queries -----------------------------------------------------------------------------------------------------------


def _facts_of_query(query: QueryTree, scope: Scope) -> list[Fact]:
    """The facts that hold if a sub-select has a row. If it counts all rows of its pattern, it has one in any case."""
    if query.where is None:
        return []
    inner = query_scope(query, scope)
    inside = [] if has_row_without_match(query) else facts_of_group(query.where, inner)
    return inside + facts_after(query, inner)


def facts_after(query: QueryTree, scope: Scope) -> list[Fact]:
    """The facts that a query states outside its pattern: in VALUES, GROUP BY, HAVING and the columns of SELECT."""
    keys = frozenset(key.variable for key in query.groups if isinstance(key, Bind | VariableUse))
    found: list[Fact] = []
    # VALUES comes after the aggregates: then, all variables but the keys of the groups are others.
    if query.values is not None and (not is_aggregated(query) or keys.issuperset(query.values.variables)):
        found += _facts_of_rows(query.values, scope)
    row = _Row(query, scope)
    found += [each.binding(scope) for each in row.computed if each.is_certain]
    found += [each.perhaps(query.span.start) for each in row.computed if not each.is_certain]
    return found + row.conditions


@dataclass(frozen=True)
class _Computed:
    """A variable that an element computes. The variables of the expression have their names in this world."""

    source: Bind
    expression: Expression
    is_certain: bool

    def binding(self, scope: Scope) -> Binding:
        return Binding(scope.of(self.source.variable), self.expression, self.source)

    def perhaps(self, place: int) -> Binding:
        """What the conditions of the group at this place know, if the variable has no other value."""
        return Binding(_perhaps(self.source.variable, place), self.expression, self.source)

    def free(self, scope: Scope) -> Binding:
        """What is known if other parts may bind the variable, in case the expression has an error."""
        own = _perhaps(self.source.variable, self.source.span.start)
        return Binding(own, self.expression, self.source, scope.of(self.source.variable))


class _Row:
    """What a query computes for a row of its answer, and the conditions of HAVING on it.

    If it groups the rows of its pattern, only the keys of the groups have one value in a group. The variables of an
    aggregate stand for any one row of the group: what the pattern says about one row holds for all of them.
    """

    def __init__(self, query: QueryTree, scope: Scope) -> None:
        rows = bound_within(query)
        start = query.span.start
        sight = _Sight(bound_in_row(query), start, scope, rows, bool(query.groups))
        self._aggregates: dict[Hashable, Aggregate] = {}
        self.computed: list[_Computed] = []
        for key in query.groups:
            if isinstance(key, Bind) and not has_exists(key.expression):
                value = _Sight(rows, start, scope).named(key.expression)
                self.computed.append(_Computed(key, value, key.variable in bound_by(key, rows).certain))
        renamed = renamed_by(query)
        certain = computed_by_query(query).certain - renamed
        for column in query.projected or ():
            if column.expression is not None:
                only = frozenset((column.variable,))
                if column.variable not in renamed and not has_exists(column.expression):
                    source = Bind(column.expression, column.variable, column.span)
                    value = self._merged(sight.named(column.expression))
                    self.computed.append(_Computed(source, value, column.variable in certain))
                sight = replace(sight, bound=sight.bound | Bound(only & certain, only))
        self.conditions: list[Fact] = [
            Condition(self._merged(sight.named(conjunct)), having)
            for having in query.having
            for conjunct in conjuncts(having.condition)
            if not has_exists(conjunct)
        ]

    def _merged(self, expression: Expression) -> Expression:
        """The expression with one aggregate for all equal ones: in one row, they have the same value."""
        if isinstance(expression, Call):
            return replace(expression, arguments=tuple(map(self._merged, expression.arguments)))
        if not isinstance(expression, Aggregate) or expression.name in ("SAMPLE", "GROUP_CONCAT"):
            return expression
        argument = None if expression.argument is None else identity(expression.argument)
        return self._aggregates.setdefault((expression.name, expression.is_distinct, argument), expression)


# -- BIND --------------------------------------------------------------------------------------------------------------


def _uncertain(element: Element, place: int, scope: Scope, before: Bound) -> Iterator[_Computed]:
    """The variables that an element of the group at this place computes, and that have no value if there is an error.

    Nothing else in the element binds them.
    """
    match element:
        case Bind(expression=expression, variable=variable):
            if not has_exists(expression) and variable not in bound_by(element, before).certain:
                yield _Computed(element, _Sight(before, place, scope).named(expression), is_certain=False)
        case QueryTree():
            visible = {column.variable for column in element.projected or ()}
            for computed in _Row(element, query_scope(element, scope)).computed:
                if not computed.is_certain and computed.source.variable in visible:
                    yield computed
        case Group(elements=elements):
            inside = NOTHING
            for inner_element in elements:
                for computed in _uncertain(inner_element, element.span.start, scope, inside):
                    if _binders(computed.source.variable, element) == 1:
                        yield computed
                inside |= bound_by(inner_element, inside)
        case _:
            pass


def _binders(variable: Variable, group: Group) -> int:
    return sum(variable in bound_by(element).possible for element in group.elements)


def _facts_of_bind(element: Bind, place: int, scope: Scope, before: Bound) -> list[Fact]:
    if has_exists(element.expression) or element.variable not in bound_by(element, before).certain:
        return []
    value = _Sight(before, place, scope).named(element.expression)
    return [Binding(scope.of(element.variable), value, element)]


def _facts_of_uncertain(element: Element, group: Group, scope: Scope, seen: Bound, before: Bound) -> Iterator[Fact]:
    """The values of variables, unless the expression has an error: then others may bind the variable.

    If nothing else in the group binds it, the conditions of the group are about this value, or about no value.
    """
    for computed in _uncertain(element, group.span.start, scope, before):
        variable = computed.source.variable
        is_open = variable in seen.possible or variable in scope.perhaps
        if is_open or _binders(variable, group) > 1:
            yield computed.free(scope)
        else:
            yield computed.perhaps(group.span.start)


def _perhaps(variable: Variable, place: int) -> Variable:
    """A variable as the conditions of the group at this place see it, if it may have no value."""
    return scoped(variable, place, Presence.POSSIBLE)


def _facts_of_rows(element: Values, scope: Scope) -> list[Fact]:
    return [Rows(tuple(map(scope.of, element.variables)), element.rows, element)]


def _facts_of_element(element: Element, scope: Scope) -> list[Fact]:
    """The facts that hold whenever the group of the element matches, except for those that depend on other elements."""
    match element:
        case PlacedTriple():
            return facts_of_triple(element, scope)
        case Values():
            return _facts_of_rows(element, scope)
        case GraphGroup(name=name):
            nodes: list[Fact] = [Node(scope.of(name), element)] if isinstance(name, Variable) else []
            return nodes + facts_of_group(element.group, scope_inside(element, scope))
        case Group():
            return facts_of_group(element, scope)
        case QueryTree():
            return _facts_of_query(element, scope)
        case Optional() | Union() | Minus() | Service() | Bind() | Filter():
            return []


def facts_by_element(
    group: Group, scope: Scope, seen: Bound, needed: frozenset[Variable] = frozenset()
) -> list[list[Fact]]:
    """The facts of each element of a group. `seen` are variables from outside, and `needed` ones have a value."""
    place = group.span.start
    outside = seen.possible | scope.perhaps
    needed = needed | needed_in(group)
    optionals = demanded(group, needed, outside)
    certain = bound_if_demanded(optionals)
    bound = bound_by_group(group) | seen | certain
    before = NOTHING
    found = []
    for element in group.elements:
        if isinstance(element, Bind):
            facts = _facts_of_bind(element, place, scope, before)
        elif isinstance(element, Filter):
            facts = _facts_of_filter(element, place, bound, scope, certain)
        elif isinstance(element, Optional) and element in optionals:
            facts = facts_of_group(element.group, scope, before, needed - outside - before.possible)
        else:
            facts = _facts_of_element(element, scope)
        found.append([*facts, *_facts_of_uncertain(element, group, scope, seen, before)])
        before |= bound_by(element, before)
    return found


def facts_of_group(
    group: Group, scope: Scope, seen: Bound = NOTHING, needed: frozenset[Variable] = frozenset()
) -> list[Fact]:
    return [fact for facts in facts_by_element(group, scope, seen, needed) for fact in facts]
