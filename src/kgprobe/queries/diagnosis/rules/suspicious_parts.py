"""Parts of a query that can match, but hardly do what their author wants: cross products, and parts without effect.

Among them are variables in expressions that have no value where they stand: mistyped, bound later, or bound in another
scope. A FILTER that is never true because of such a variable is not reported here: it is a conflict, with a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kgprobe.queries.diagnosis.changes import variable_slips
from kgprobe.queries.diagnosis.rules import Finding, Inspection, Rule
from kgprobe.queries.patterns.facts import needed_for_truth, unless_bound_before
from kgprobe.queries.schema import Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
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
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    QueryTree,
    Span,
    Values,
    VariableUse,
)
from kgprobe.sparql.scopes import (
    NOTHING,
    bound_by,
    bound_by_group,
    bound_in_row,
    bound_within,
    has_row_without_match,
    visible_variables,
)
from kgprobe.sparql.traversal import expressions_in, inner_groups, replaced, triples_within, variables_in

_NONE: frozenset[Variable] = frozenset()


def _unbound_variables(operation: Operation) -> Iterator[Finding]:
    """The variables in the expressions of a query or an update that have no value where they stand."""
    if isinstance(operation, QueryTree):
        yield from _unbound_in_query(operation, _Seen())
    elif isinstance(operation, Modify) and operation.where is not None:
        yield from _unbound_in_group(operation.where, _Seen())


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


def _unbound_in_query(query: QueryTree, seen: _Seen) -> Iterator[Finding]:
    if query.where is None:
        return
    yield from _unbound_in_group(query.where, replace(seen, by_filters=_NONE, elsewhere=_NONE))
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


def _unbound_in_group(group: Group, seen: _Seen) -> Iterator[Finding]:
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
                yield from _unbound_in_group(inner, replace(inside, by_filters=before))
            case QueryTree():
                yield from _unbound_in_query(element, inside)
            case GraphGroup(name=Variable() as name, group=inner):
                yield from _unbound_in_group(inner, replace(inside, graphs=seen.graphs | {name}))
            case _:
                for inner in inner_groups(element):
                    yield from _unbound_in_group(inner, inside)
        before |= bound_by(element).possible


# -- expressions -------------------------------------------------------------------------------------------------------


def _in_filter(element: Filter, bound: frozenset[Variable], seen: _Seen) -> Iterator[Finding]:
    proven = needed_for_truth(_of_one_row(element.condition)) - bound - seen.graphs
    names = {variable.name for variable in proven}
    for found in _in_expression(element.condition, bound, seen, "so that this part of the condition has an error"):
        if found.variable not in names:
            yield replace(found, code="unbound-in-filter")


def _of_one_row(expression: Expression) -> Expression:
    """The expression with the arguments of aggregates instead of these, which are an error if all arguments are."""
    return replaced(expression, _argument)


def _argument(part: Expression) -> Expression | None:
    return part.argument if isinstance(part, Aggregate) and part.name != "COUNT" else None


def _in_expression(expression: Expression, bound: frozenset[Variable], seen: _Seen, why: str) -> Iterator[Finding]:
    """The variables of an expression that are not bound. BOUND and COALESCE ask for that on purpose."""
    parts = [part for part in expressions_in(expression) if isinstance(part, Call) and part.name == "BOUND"]
    bound |= {variable for part in parts for variable in variables_in(part)}
    pending: list[tuple[Expression, str, str]] = [(expression, "", why)]
    while pending:
        current, function, why = pending.pop()
        match current:
            case VariableUse(variable=variable, span=span):
                if not (variable.hidden or variable in bound or isinstance(variable, Given)):
                    message = _message(variable, seen, why, function)
                    yield Finding("unbound-variable", span, message, variable=variable.name)
            case Exists(group=group):
                yield from _unbound_in_group(group, replace(seen, variables=seen.variables | bound))
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


# -- queries -----------------------------------------------------------------------------------------------------------


def _suspicious_parts(inspection: Inspection) -> Iterator[Finding]:
    """The suspicious parts of a query or of updates."""
    document = inspection.document
    for operation in document.operations:
        for found in (*_unbound_variables(operation), *_in_operation(operation, inspection.schema)):
            spans = (found.span, *found.related, *found.concerned)
            yield replace(found, repairs=partial(variable_slips, document, spans))


RULE = Rule(_suspicious_parts)


def _in_operation(operation: Operation, schema: Schema) -> Iterator[Finding]:
    if isinstance(operation, QueryTree):
        yield from _in_query(operation, schema)
    elif isinstance(operation, Modify) and operation.where is not None:
        yield from _in_group(operation.where, frozenset(), schema)
        bound = bound_by_group(operation.where).possible
        for part in operation.deleted:
            yield from _unbound_in_template(part.triples, bound, "deleted")
        for part in operation.inserted:
            yield from _unbound_in_template(part.triples, bound, "written")


def _in_query(query: QueryTree, schema: Schema) -> Iterator[Finding]:
    if query.where is None:
        return
    yield from _in_group(query.where, frozenset(), schema)
    bound = bound_within(query).possible
    for expression in _expressions_of_rows(query):
        yield from _unconnected(expression, bound)
    for column in query.projected or ():
        if column.expression is None and not isinstance(column.variable, Given) and column.variable not in bound:
            words = f"{column.variable} is never bound, so that this column is empty{_in_brackets(column.variable)}"
            yield Finding("unbound-column", column.span, words, variable=column.variable.name)
    yield from _unbound_in_template(query.template, bound, "written")


def _expressions_of_rows(query: QueryTree) -> Iterator[Expression]:
    """The expressions of a query outside its pattern."""
    yield from (column.expression for column in query.projected or () if column.expression is not None)
    yield from (key.expression for key in query.groups if isinstance(key, Bind))
    yield from (having.condition for having in query.having)
    yield from query.order


def _unbound_in_template(template: Iterable[PlacedTriple], bound: frozenset[Variable], done: str) -> Iterator[Finding]:
    for triple in template:
        for part, span in (
            (triple.subject, triple.subject_span),
            (triple.predicate, triple.predicate_span),
            (triple.object, triple.object_span),
        ):
            if isinstance(part, Variable) and not (part.hidden or isinstance(part, Given) or part in bound):
                words = f"{part} is never bound, so that this triple is never {done}{_in_brackets(part)}"
                yield Finding("unbound-column", span, words, variable=part.name)


def _in_brackets(variable: Variable) -> str:
    proviso = unless_bound_before(variable)
    return f" ({proviso})" if proviso else ""


# -- groups ------------------------------------------------------------------------------------------------------------


def _in_group(
    group: Group, outside: frozenset[Variable], schema: Schema, seen: frozenset[Variable] = frozenset()
) -> Iterator[Finding]:
    """The suspicious parts of a group.

    Variables from outside are connected with each other there. Those that are seen, around an EXISTS, have their values
    before the group begins.
    """
    yield from _cross_product(group, outside, schema)
    before = NOTHING
    everything = outside | bound_by_group(group).possible
    for element in group.elements:
        if isinstance(element, Minus):
            yield from _without_effect(element, before.possible | outside)
        elif isinstance(element, Filter):
            yield from _unconnected(element.condition, everything)
        elif isinstance(element, Bind):
            yield from _unconnected(element.expression, before.possible | outside)
        elif isinstance(element, Optional) and not before.possible:
            yield from _leading(element, group, seen)
        for inner in inner_groups(element):
            yield from _in_group(inner, everything, schema, everything if isinstance(element, Filter | Bind) else seen)
        if isinstance(element, QueryTree):
            yield from _in_query(element, schema)
        before |= bound_by(element, before)


def _without_effect(minus: Minus, before: frozenset[Variable]) -> Iterator[Finding]:
    inside = bound_by_group(minus.group).possible
    triple = next(iter(triples_within([minus.group])), None)
    if triple is not None and not any(variable in before for variable in inside if not variable.hidden):
        words = "this MINUS shares no variable with the patterns before it, so that it removes nothing"
        yield Finding("minus-without-effect", triple.span, words)


def _unconnected(expression: Expression, around: frozenset[Variable]) -> Iterator[Finding]:
    """EXISTS that is the same for each row, because nothing in it is about the row."""
    visible = frozenset(variable for variable in around if not variable.hidden)
    for part in expressions_in(expression):
        if isinstance(part, Exists) and visible:
            used = visible_variables(part.group)
            if any(not variable.hidden for variable in used) and not used & visible and not _has_given(used):
                what = "NOT EXISTS" if part.is_negated else "EXISTS"
                words = f"this {what} shares no variable with what is around it, so that it is the same for every row"
                yield Finding("unconnected-exists", _first_span(part.group, part.span), words)


def _has_given(variables: set[Variable]) -> bool:
    return any(isinstance(variable, Given) for variable in variables)


def _first_span(group: Group, otherwise: Span) -> Span:
    triple = next(iter(triples_within([group])), None)
    return otherwise if triple is None else triple.span


def _leading(optional: Optional, group: Group, seen: frozenset[Variable]) -> Iterator[Finding]:
    """An OPTIONAL with nothing before it, whose variables patterns after it need: it is not optional."""
    place = group.elements.index(optional)
    required = (
        element for element in group.elements[place + 1 :] if not isinstance(element, Optional | Minus | Filter | Bind)
    )
    later = frozenset().union(*(bound_by(element).certain for element in required))
    inside = bound_by_group(optional.group).possible
    shared = sorted(
        str(variable) for variable in (inside & later) - seen if not variable.hidden and not isinstance(variable, Given)
    )
    if shared:
        words = (
            f"nothing comes before this OPTIONAL: if it matches anything at all, {' and '.join(shared)}"
            " must match it, and if it matches nothing, it adds nothing; put it after the other patterns"
        )
        yield Finding("leading-optional", _first_span(optional.group, optional.span), words)


# -- cross products ----------------------------------------------------------------------------------------------------

# Values that are given before the query runs may be related: all of them connect patterns.
_SOME_VALUE = Given("some value")


@dataclass(frozen=True)
class _Component:
    """Elements that are connected. `joints` are variables, and individuals that several elements name."""

    joints: frozenset[Variable | NamedNode]
    elements: tuple[Element, ...]
    is_outside: bool = False


def _cross_product(group: Group, outside: frozenset[Variable], schema: Schema) -> Iterator[Finding]:
    components = [_Component(outside, (), is_outside=True)] if outside else []
    for element in group.elements:
        joints = _joints(element)
        if joints:
            components = _joined(components, joints, element)
    large = [component for component in components if component.is_outside or _has_many_matches(component, schema)]
    patterns = [component for component in large if any(True for _ in triples_within(component.elements))]
    if len(patterns) < 2:
        return
    first, *others = patterns
    for other in others:
        one, two = next(iter(triples_within(first.elements))), next(iter(triples_within(other.elements)))
        here, there = _named(other), _named(first)
        words = f"nothing connects {here} with {there}: all matches of one are combined with all of the other"
        concerned = tuple(triple.span for triple in triples_within((*first.elements, *other.elements)))
        yield Finding("cross-product", two.span, words, related=(one.span,), concerned=concerned)


def _named(component: _Component) -> str:
    names = sorted(str(joint) for joint in component.joints if isinstance(joint, Variable) and not joint.hidden)
    return names[0] if names else "this pattern"


def _joined(
    components: Sequence[_Component], joints: frozenset[Variable | NamedNode], element: Element
) -> list[_Component]:
    touching = [component for component in components if component.joints & joints]
    merged = _Component(
        joints.union(*(component.joints for component in touching)),
        (*(inner for component in touching for inner in component.elements), element),
        any(component.is_outside for component in touching),
    )
    if not touching:
        return [*components, merged]
    place = components.index(touching[0])
    rest = [component for component in components if component not in touching]
    return [*rest[:place], merged, *rest[place:]]


def _joints(element: Element) -> frozenset[Variable | NamedNode]:
    match element:
        case PlacedTriple(subject=subject, predicate=predicate, object=value):
            parts = [subject, predicate] if predicate == RDF.type else [subject, predicate, value]
            ends = [part for part in parts if isinstance(part, Variable | NamedNode) and part != predicate]
            names = [*ends, *([predicate] if isinstance(predicate, Variable) else [])]
            found = [*names, *([value] if isinstance(value, Variable) else [])]
            return frozenset([*found, *(_SOME_VALUE for part in found if isinstance(part, Given))])
        case Filter(condition=expression):
            return frozenset(_all_variables(expression))
        case Bind(expression=expression, variable=variable):
            return frozenset((*_all_variables(expression), variable))
        case _:
            return bound_by(element).possible | _individuals(element)


def _individuals(element: Element) -> frozenset[Variable | NamedNode]:
    """What the triples of a group are about, other than variables."""
    joints = {joint for triple in triples_within([element]) for joint in _joints(triple)}
    return frozenset(joint for joint in joints if isinstance(joint, NamedNode | Given) or joint is _SOME_VALUE)


def _all_variables(expression: Expression) -> Iterator[Variable]:
    yield from variables_in(expression)
    for part in expressions_in(expression):
        if isinstance(part, Exists):
            yield from bound_by_group(part.group).possible


def _has_many_matches(component: _Component, schema: Schema) -> bool:
    """Whether a component may match more than once: not if it only looks up single values of known individuals."""
    if not any(isinstance(joint, Variable) and not isinstance(joint, Given) for joint in component.joints):
        return False
    return not all(_has_one_match(element, schema) for element in component.elements)


def _has_one_match(element: Element, schema: Schema) -> bool:
    match element:
        case PlacedTriple(subject=NamedNode(), predicate=NamedNode() as predicate):
            return schema.functional_data(predicate) is not None
        case Values() | Bind() | Filter():
            return True
        case Optional() | Group():
            return all(_has_one_match(each, schema) for group in inner_groups(element) for each in group.elements)
        case QueryTree():
            return has_row_without_match(element)
        case _:
            return False
