"""The worlds of a query: for each group, everything that must hold if the group takes part in an answer.

A world has the facts of its own group, and the facts that must hold around it. A triple that must be in the graph is an
`Edge`; a FILTER that must be true is a `Condition`. The parts of a query that need not match (OPTIONAL, a branch of a
UNION, a negated group) are worlds of their own, and add nothing to the world around them:

    ?x :p ?y  OPTIONAL { ?y :q ?z }  { ?x :r 1 } UNION { ?x :r 2 }

has four worlds: the required triple, the triple with the OPTIONAL, and the triple with each of the branches.

Variables are renamed where the scope asks for it: a variable that a sub-select does not return is another variable than
one of the same name outside, and so is a variable of EXISTS that its surroundings do not bind. A variable of a FILTER
that is perhaps bound, or never, gets a name of its own, since the facts about the variable need not hold for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations, product
from math import prod

from kgprobe.queries.patterns.facts import (
    WHOLE,
    Binding,
    Choice,
    Condition,
    Edge,
    Fact,
    Scope,
    exists_scope,
    query_scope,
    scope_inside,
)
from kgprobe.queries.patterns.group_facts import (
    facts_after,
    facts_by_element,
    facts_of_group,
    facts_of_triple,
)
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Bind,
    Call,
    Exists,
    Expression,
    Filter,
    Given,
    GraphGroup,
    GraphTriples,
    Group,
    Management,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    QueryTree,
    Span,
    Union,
)
from kgprobe.sparql.scopes import NOTHING, Bound, bound_by, bound_by_group, bound_within, has_row_without_match
from kgprobe.sparql.traversal import has_aggregate, variables_in

__all__ = ["World", "worlds_of"]


_MOST_COMBINATIONS = 16


class Role(Enum):
    """How a group takes part in the query."""

    REQUIRED = "required"
    OPTIONAL = "OPTIONAL"
    BRANCH = "UNION"
    BRANCHES = "several UNIONs"
    EXISTS = "EXISTS"
    NOT_EXISTS = "NOT EXISTS"
    MINUS = "MINUS"
    INSERT = "INSERT"
    DELETE = "DELETE"
    CONSTRUCT = "CONSTRUCT"


@dataclass(frozen=True)
class World:
    """The facts that a group adds, and those that must hold around it.

    `certain` variables are bound in the group, `possible` ones may be. `own` begins at `facts[len(around):]`. A world
    of several UNIONs has no facts itself, but `combinations`: the facts of one of them hold, too.
    """

    role: Role
    span: Span
    around: tuple[Fact, ...]
    own: tuple[Fact, ...]
    certain: frozenset[Variable]
    possible: frozenset[Variable]
    is_negated: bool = False  # within NOT EXISTS or MINUS, at any depth
    combinations: tuple[tuple[Fact, ...], ...] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (*self.around, *self.own)


@dataclass(frozen=True)
class _Around:
    """What surrounds a group: facts, how its variables are named, and the bindings that its conditions can see."""

    facts: tuple[Fact, ...] = ()
    scope: Scope = WHOLE
    seen: Bound = NOTHING
    is_negated: bool = False

    def plus(self, facts: Iterable[Fact]) -> _Around:
        return replace(self, facts=(*self.facts, *facts))


# -- the worlds of a group ---------------------------------------------------------------------------------------------


def _worlds(group: Group, role: Role, around: _Around) -> Iterator[World]:
    """The world of a group, and those of the groups in it that need not match with it."""
    own = facts_of_group(group, around.scope, around.seen)
    bound = bound_by_group(group) | around.seen
    scope = around.scope
    yield World(
        role,
        group.span,
        around.facts,
        tuple(own),
        scope.all_of(bound.certain),
        scope.all_of(bound.possible),
        around.is_negated,
    )
    yield from _worlds_within(group, around)


def _worlds_within(group: Group, around: _Around) -> Iterator[World]:
    """The worlds of the groups within a group, whose own facts have been dealt with."""
    bound = bound_by_group(group) | around.seen
    facts = facts_by_element(group, around.scope, around.seen)
    before = NOTHING
    for number, element in enumerate(group.elements):
        earlier = [
            fact for facts_before in facts[:number] for fact in facts_before if _holds_early(fact, before, around.scope)
        ]
        others = [fact for at, each in enumerate(facts) if at != number for fact in each]
        match element:
            case Optional(group=inner):
                seen = replace(around.plus(earlier), seen=before)
                # If it must match, its facts are those of the group around it.
                yield from _worlds_within(inner, seen) if facts[number] else _worlds(inner, Role.OPTIONAL, seen)
            case Minus(group=inner):
                hidden = replace(around.plus(earlier), seen=NOTHING, is_negated=True)
                yield from _worlds(inner, Role.MINUS, hidden)
            case Union(branches=branches):
                for branch in branches:
                    yield from _worlds(branch, Role.BRANCH, replace(around.plus(others), seen=NOTHING))
            case Group() | GraphGroup():
                inner = element if isinstance(element, Group) else element.group
                scope = scope_inside(element, around.scope)
                yield from _worlds_within(inner, replace(around.plus(others), scope=scope, seen=NOTHING))
            case QueryTree():
                yield from _worlds_of_query(element, around.plus(others))
            case Filter(condition=condition):
                yield from _worlds_of_exists(condition, around.plus(others), bound)
            case Bind(expression=expression):
                yield from _worlds_of_exists(expression, around.plus(earlier), before, is_required=False)
            case _:
                pass
        before |= bound_by(element, before)
    yield from _combined_unions(group, facts, around)


def _combined_unions(group: Group, facts: Sequence[Sequence[Fact]], around: _Around) -> Iterator[World]:
    """Pairs of UNIONs in a group, and all of them together, if they have few combinations."""
    unions = [(number, each) for number, each in enumerate(group.elements) if isinstance(each, Union)]
    chosen = [*combinations(unions, 2), *([tuple(unions)] if len(unions) > 2 else [])]
    for several in chosen:
        if prod(len(union.branches) for _, union in several) <= _MOST_COMBINATIONS:
            numbers = [number for number, _ in several]
            others = [fact for number, each in enumerate(facts) if number not in numbers for fact in each]
            branches = [[facts_of_group(branch, around.scope) for branch in union.branches] for _, union in several]
            yield World(
                Role.BRANCHES,
                group.span,
                (*around.facts, *others),
                (),
                frozenset(),
                frozenset(),
                around.is_negated,
                tuple(tuple(fact for branch in one for fact in branch) for one in product(*branches)),
            )


def _holds_early(fact: Fact, before: Bound, scope: Scope) -> bool:
    """Whether a fact holds before the end of its group: conditions wait for it, and may be about later variables."""
    if not isinstance(fact, Condition):
        return True
    certain = scope.all_of(before.certain)
    return all(variable in certain for variable in variables_in(fact.expression))


def _worlds_of_query(query: QueryTree, around: _Around) -> Iterator[World]:
    """The worlds within a sub-select. Its facts belong to the world around it, if it has no row without them."""
    if query.where is None:
        return
    inner = replace(around, scope=query_scope(query, around.scope), seen=NOTHING)
    if has_row_without_match(query):
        yield from _worlds(query.where, Role.REQUIRED, replace(inner, facts=()))
    else:
        yield from _worlds_within(query.where, inner)


def _worlds_of_exists(
    condition: Expression, around: _Around, bound: Bound, *, is_required: bool = True
) -> Iterator[World]:
    pending = [(condition, False, is_required)]
    while pending:
        current, is_negated, is_required = pending.pop()
        if isinstance(current, Exists):
            negated = current.is_negated != is_negated
            inner = replace(
                around,
                scope=exists_scope(current, bound, around.scope),
                seen=bound,
                is_negated=around.is_negated or negated,
            )
            if is_required and not negated:  # its facts belong to the world around it
                yield from _worlds_within(current.group, inner)
            else:
                yield from _worlds(current.group, Role.NOT_EXISTS if negated else Role.EXISTS, inner)
        elif isinstance(current, Call):
            flips = current.name == "!"
            conjunction = is_required and current.name == "&&"
            pending += [(argument, is_negated != flips, conjunction) for argument in current.arguments]


# -- queries and updates -----------------------------------------------------------------------------------------------


def worlds_of(operation: Operation) -> list[World]:
    """All worlds of a query or an update. A world comes after those that surround it."""
    match operation:
        case QueryTree():
            return list(_worlds_of_whole_query(operation))
        case Modify():
            return list(_worlds_of_update(operation))
        case Management():
            return []


def _worlds_of_whole_query(query: QueryTree) -> Iterator[World]:
    if query.where is None:
        return
    inside = facts_of_group(query.where, WHOLE)
    outside = [] if has_row_without_match(query) else facts_after(query, WHOLE)
    facts = (*inside, *outside)
    bound = bound_within(query)
    yield World(Role.REQUIRED, query.where.span, (), facts, bound.certain, bound.possible)
    if has_row_without_match(query):
        # The facts of the pattern hold for each row that an aggregate is about, and aggregates know that none may be.
        after = tuple(facts_after(query, WHOLE))
        yield World(Role.REQUIRED, query.where.span, tuple(inside), after, bound.certain, bound.possible)
    # A branch of a UNION may match in one row of a group, and another in the next: an aggregate is about all rows.
    of_one_row = (fact for fact in outside if not _is_about_several_rows(fact))
    yield from _worlds_within(query.where, _Around(tuple(of_one_row)))
    for condition in query.having:
        yield from _worlds_of_exists(condition.condition, _Around(facts), bound)
    if query.template:
        yield from _template_worlds(query.template, Role.CONSTRUCT, facts, bound)


def _is_about_several_rows(fact: Fact) -> bool:
    return isinstance(fact, Binding | Condition) and has_aggregate(fact.expression)


def _worlds_of_update(update: Modify) -> Iterator[World]:
    facts: list[Fact] = []
    bound = NOTHING
    if update.where is not None:
        yield from _worlds(update.where, Role.REQUIRED, _Around())
        facts = facts_of_group(update.where, WHOLE)
        bound = bound_by_group(update.where)
    kept = tuple(fact for fact in facts if not _may_be_deleted(fact, update.deleted))
    inserted = _template_worlds(_triples(update.inserted), Role.INSERT, kept, bound)
    yield from (_with_optional(world, update) for world in inserted)
    if update.where is None or not _is_same_pattern(update):
        deleted = _template_worlds(_triples(update.deleted), Role.DELETE, tuple(facts), bound)
        yield from (_with_optional(world, update) for world in deleted)


def _with_optional(world: World, update: Modify) -> World:
    """The world of a triple that needs a variable of an OPTIONAL: then the OPTIONAL matches, too."""
    if update.where is None:
        return world
    ends = (part for fact in world.own if isinstance(fact, Edge) for part in (fact.subject, fact.object))
    needed = frozenset(part for part in ends if isinstance(part, Variable))
    gone = update.deleted if world.role is Role.INSERT else ()
    kept = (fact for fact in facts_of_group(update.where, WHOLE, needed=needed) if not _may_be_deleted(fact, gone))
    written = tuple(fact for fact in world.around if fact not in facts_of_group(update.where, WHOLE))
    return replace(world, around=(*kept, *written))


def _triples(template: Sequence[GraphTriples]) -> list[PlacedTriple]:
    return [triple for graph in template for triple in graph.triples]


def _is_same_pattern(update: Modify) -> bool:
    """Whether this is DELETE WHERE, whose template is its pattern."""
    return (
        bool(update.deleted)
        and update.where is not None
        and all(
            update.where.span.start <= triple.span.start < update.where.span.end
            for graph in update.deleted
            for triple in graph.triples
        )
    )


def _may_be_deleted(fact: Fact, deleted: Sequence[GraphTriples]) -> bool:
    """Whether an update that deletes these triples may end what a fact states."""
    if isinstance(fact, Choice):
        return bool(deleted)
    if not isinstance(fact, Edge):
        return False
    return any(
        all(
            isinstance(stated, Variable) or isinstance(gone, Variable) or stated is None or stated == gone
            for stated, gone in zip(
                (fact.subject, fact.predicate, fact.object),
                (triple.subject, triple.predicate, triple.object),
                strict=True,
            )
        )
        for graph in deleted
        for triple in graph.triples
    )


def _template_worlds(
    triples: Sequence[PlacedTriple], role: Role, facts: tuple[Fact, ...], bound: Bound
) -> Iterator[World]:
    """A world for the triples that are written whenever the pattern matches, and one for each of the others.

    A triple of a template with an unbound variable is not written, so that two such triples need not be together.
    """
    if not triples:
        return
    span = Span(min(triple.span.start for triple in triples), max(triple.span.end for triple in triples))
    always = [triple for triple in triples if role is not Role.DELETE and _is_certain(triple, bound)]
    together = tuple(fact for triple in always for fact in facts_of_triple(triple, WHOLE))
    if together:
        yield World(role, span, facts, together, bound.certain, bound.possible)
    for triple in triples:
        if triple not in always:
            own = tuple(facts_of_triple(triple, WHOLE))
            yield World(role, triple.span, facts + together, own, bound.certain, bound.possible)


def _is_certain(triple: PlacedTriple, bound: Bound) -> bool:
    parts = (triple.subject, triple.predicate, triple.object)
    variables = (part for part in parts if isinstance(part, Variable) and not isinstance(part, Given))
    return all(part in bound.certain or part.hidden for part in variables)
