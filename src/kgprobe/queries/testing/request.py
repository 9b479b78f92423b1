"""A request to test a query, as a user writes it: properties as text, and settings."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgprobe.errors import InputError, Position
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.properties import (
    Ask,
    AtMost,
    Empty,
    Nonempty,
    Property,
    PythonCheck,
    SameAs,
    read_expectation,
    read_relation,
)
from kgprobe.queries.testing.tested_query import Query, read_query
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import QueryTree
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import PreparedQuery

__all__ = ["Request", "Text", "properties_of"]


@dataclass(frozen=True)
class Text:
    """The text of a query, and the name of its file."""

    text: str
    name: str


@dataclass(frozen=True)
class Request:
    """The properties to test. `checks` are Python functions, by the names under which the user knows them."""

    expect: Sequence[str] = ()
    possible: bool = False
    related: Sequence[str] = ()
    ask: Sequence[Text] = ()
    nonempty: bool = False
    empty: bool = False
    at_most: int | None = None
    same_as: Sequence[Text] = ()
    checks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def properties_of(
    request: Request, query: Query, schema: Schema, individuals: Container[NamedNode] = ()
) -> list[Property]:
    """The properties of a request. InputError for one that makes no sense for this query, ontology and data."""
    return list(_properties(request, query, schema, individuals))


def _properties(
    request: Request, query: Query, schema: Schema, individuals: Container[NamedNode]
) -> Iterator[Property]:
    prefixes = {**schema.graph.spelling.prefixes, **query.prefixes}
    if request.empty and request.nonempty:
        raise InputError("--empty and --nonempty contradict each other")
    for text in request.expect:
        yield read_expectation(
            text, schema, prefixes, query.variables, is_possible=request.possible, individuals=individuals
        )
    for text in request.related:
        yield read_relation(text, schema, prefixes, query.variables)
    for each in request.ask:
        yield _ask(each, prefixes)
    if request.nonempty:
        yield Nonempty()
    if request.empty:
        yield Empty()
    if request.at_most is not None:
        yield AtMost(request.at_most)
    for each in request.same_as:
        yield _same_as(each, query)
    for name, function in request.checks.items():
        yield PythonCheck(f"--python {name}", function)


def _ask(given: Text, prefixes: Mapping[str, str]) -> Ask:
    document = read_document(given.text, given.name, prefixes)
    [*operations] = document.operations
    if len(operations) != 1 or not isinstance(operations[0], QueryTree) or operations[0].form != "ASK":
        raise InputError("--ask needs an ASK query", where=Position(given.name))
    return Ask(f"--ask {given.name}", PreparedQuery.of(given.text, given.name, prefixes), operations[0])


def _same_as(given: Text, query: Query) -> SameAs:
    other = read_query(given.text, given.name, query.prefixes)
    if other.tree.form != query.tree.form:
        message = f"--same-as compares a {query.tree.form} query with a {other.tree.form} query"
        raise InputError(message, where=Position(given.name))
    if set(other.variables) != set(query.variables):
        one, two = (", ".join(f"?{name}" for name in each.variables) or "none" for each in (query, other))
        message = f"--same-as needs the same variables: {query.name} returns {one}, and {given.name} returns {two}"
        raise InputError(message, where=Position(given.name))
    return SameAs(f"--same-as {given.name}", other.prepared, other.tree)
