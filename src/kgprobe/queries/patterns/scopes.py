"""Names of variables in different scopes: those with the same name that are others get a name of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kgprobe.queries.patterns.facts import scoped
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import Exists, Given, GraphGroup, Group, QueryTree
from kgprobe.sparql.scopes import Bound, renamed_by

__all__ = ["WHOLE", "Scope", "exists_scope", "query_scope", "scope_inside"]


@dataclass(frozen=True)
class Scope:
    """Which variables of a part of the query are those of its surroundings; all others get a name of their own."""

    kept: frozenset[Variable] | None = None
    label: int = 0
    outer: Scope | None = None
    # Variables that the surroundings perhaps bind: EXISTS sees them, but the facts about them need not hold.
    perhaps: frozenset[Variable] = frozenset()

    def of(self, variable: Variable) -> Variable:
        if self.kept is None or self.outer is None or isinstance(variable, Given):
            return variable
        if variable in self.kept:
            return self.outer.of(variable)
        return scoped(variable, self.label)

    def all_of(self, variables: Iterable[Variable]) -> frozenset[Variable]:
        return frozenset(map(self.of, variables))


WHOLE = Scope()
"""The scope of a whole query."""


def exists_scope(exists: Exists, bound: Bound, scope: Scope) -> Scope:
    return Scope(bound.certain, exists.span.start, scope, perhaps=bound.possible | scope.perhaps)


def scope_inside(element: Group | GraphGroup, scope: Scope) -> Scope:
    """The scope of a group in braces. By the standard, `?g` has no value in `GRAPH ?g { … }`, but engines differ."""
    if isinstance(element, GraphGroup) and isinstance(element.name, Variable):
        return replace(scope, perhaps=scope.perhaps | {element.name})
    return scope


def query_scope(query: QueryTree, scope: Scope) -> Scope:
    if query.projected is None:
        return scope
    visible = frozenset(column.variable for column in query.projected) - renamed_by(query)
    return Scope(visible, query.span.start, scope, scope.perhaps)
