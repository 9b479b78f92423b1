"""The parts of a SPARQL group that our own matching supports: triples, filters, and EXISTS with the same.

A group may contain other parts. They are left out, and mark the result as incomplete. The triples that are found are
still conditions that every solution meets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql import algebra
from kgprobe.sparql.documents import group_in
from kgprobe.sparql.tokens import tokens
from kgprobe.sparql.traversal import has_exists, variables_in

__all__ = ["Condition", "Exists", "Group", "query_of", "read_group"]


@dataclass(frozen=True)
class Condition:
    """The expression of a filter without EXISTS, and its text."""

    expression: algebra.Expression
    text: str

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in the expression, each once."""
        return tuple(dict.fromkeys(variables_in(self.expression)))


@dataclass(frozen=True)
class Exists:
    """EXISTS or NOT EXISTS with a group that is supported."""

    group: Group
    negated: bool


@dataclass
class Group:
    """The supported parts of a group; `complete` if it has no others."""

    triples: list[TriplePattern] = field(default_factory=list)
    filters: list[Condition | Exists] = field(default_factory=list)
    complete: bool = True


def query_of(text: str) -> str:
    """The query for all solutions of a WHERE clause with this text. The text begins on the second line."""
    return f"SELECT * WHERE {{\n{text}\n}}"


def read_group(text: str, prefixes: Mapping[str, str]) -> Group:
    """Read the content of a group, without its braces. It is part of a valid query."""
    query = query_of(text)
    found = group_in(query, prefixes)
    return Group(complete=False) if found is None else _supported(found, query)


def _supported(group: algebra.Group, text: str) -> Group:
    found = Group()
    triples: list[algebra.PlacedTriple] = []
    for element in group.elements:
        if isinstance(element, algebra.PlacedTriple):
            if isinstance(element.predicate, Variable | NamedNode):
                triples.append(element)
            else:
                found.complete = False
        elif isinstance(element, algebra.Filter) and (condition := _condition(element, text)) is not None:
            found.filters.append(condition)
        else:
            found.complete = False
    # The triples inside brackets come before the one that the brackets are part of.
    triples.sort(key=lambda triple: triple.span.end)
    found.triples = [(each.subject, each.predicate, each.object) for each in triples]  # type: ignore[misc]
    return found


def _condition(element: algebra.Filter, text: str) -> Condition | Exists | None:
    """The condition of a filter; None if it is not supported: EXISTS is only supported on its own."""
    start = element.span.start + len("FILTER")
    first = next(token for token in tokens(text) if token.start >= start)
    if isinstance(element.condition, algebra.Exists) and first.text != "(":
        inner = _supported(element.condition.group, text)
        return Exists(inner, element.condition.is_negated) if inner.complete else None
    if has_exists(element.condition):
        return None
    return Condition(element.condition, text[first.start : element.span.end])
