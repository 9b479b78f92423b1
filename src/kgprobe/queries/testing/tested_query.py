"""The query to test: what it returns, and whether it can run on generated data at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgprobe.errors import InputError, Position
from kgprobe.sparql.algebra import Document, GraphGroup, QueryTree, Service
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.engine.pyoxigraph import position
from kgprobe.sparql.scopes import bound_within
from kgprobe.sparql.traversal import elements_within

__all__ = ["Query", "read_query", "refuse_graphs"]


@dataclass(frozen=True)
class Query:
    """A query to test: its text, its tree, and its form for evaluation."""

    text: str
    name: str
    tree: QueryTree
    prepared: PreparedQuery
    prefixes: Mapping[str, str]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its answers. Those of a triple are its three parts."""
        if self.tree.form in ("CONSTRUCT", "DESCRIBE"):
            return ("subject", "predicate", "object")
        if self.tree.form == "ASK":
            return ()
        if self.tree.projected is not None:
            return tuple(each.variable.name for each in self.tree.projected)
        bound = bound_within(self.tree).possible
        return tuple(sorted(each.name for each in bound if not each.hidden))

    @property
    def has_graphs(self) -> bool:
        """Whether the query looks at named graphs."""
        return bool(self.tree.datasets) or any(isinstance(each, GraphGroup) for each in elements_within([self.tree]))


def read_query(text: str, name: str, prefixes: Mapping[str, str] | None = None) -> Query:
    """The query in a text. InputError if it is not a query, or one that cannot run on generated data."""
    given = dict(prefixes or {})
    document = read_document(text, name, given)
    tree = _only_query(document, name)
    for element in elements_within([tree]):
        if isinstance(element, Service):
            reason = "another system answers SERVICE, so no data can be made for it"
            hint = "test the query without it, with VALUES for its answers"
            raise InputError(reason, where=position(text, element.span.start, name), hint=hint)
    return Query(text, name, tree, PreparedQuery.of(text, name, given), {**given, **document.prefixes})


def _only_query(document: Document, name: str) -> QueryTree:
    [*operations] = document.operations
    if len(operations) == 1 and isinstance(operations[0], QueryTree):
        return operations[0]
    what = "this is an update" if operations else "there is no query"
    raise InputError(
        f"{what}; only queries have answers that can be tested",
        where=Position(name),
        hint="kgprobe query check reads updates, too" if operations else None,
    )


def refuse_graphs(query: Query) -> None:
    """InputError if the query looks at named graphs, where the data have to be one graph."""
    if query.has_graphs:
        raise InputError(
            "the query looks at named graphs, and the data here are one graph",
            where=Position(query.name),
            hint="kgprobe query test makes data with named graphs",
        )
