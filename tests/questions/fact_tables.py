"""A database of facts for tests, made from Turtle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pyoxigraph

PREFIXES = """
@prefix : <http://e.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""


class Tables:
    """The tables `terms`, `facts`, `same` and `edges` of a graph."""

    def __init__(self, turtle: str) -> None:
        self.connection = duckdb.connect(":memory:")
        self.ids: dict[object, int] = {}
        triples = [
            (self._id(each.subject), self._id(each.predicate), self._id(each.object))
            for each in pyoxigraph.parse(PREFIXES + turtle, format=pyoxigraph.RdfFormat.TURTLE)
        ]
        for statement in (
            "CREATE TABLE terms (id INTEGER, kind INTEGER, text VARCHAR, extra VARCHAR)",
            "CREATE TABLE facts (s INTEGER, p INTEGER, o INTEGER)",
            "CREATE TABLE same (id INTEGER, rep INTEGER)",
        ):
            self.connection.execute(statement)
        self.connection.executemany("INSERT INTO terms VALUES (?, ?, ?, ?)", [*map(_row, self.ids.items())])
        self.connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", sorted(set(triples)))
        self.connection.execute("CREATE TABLE edges AS SELECT * FROM facts ORDER BY p, s, o")

    def sql(self, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(text, list(values)).fetchall()

    def id(self, name: str) -> int:
        """The id of a name in the namespace of the tests."""
        return self.ids[pyoxigraph.NamedNode(f"http://e.org/{name}")]

    def _id(self, term: object) -> int:
        return self.ids.setdefault(term, len(self.ids))


def _row(item: tuple[object, int]) -> tuple[int, int, str, str]:
    term, id_ = item
    if isinstance(term, pyoxigraph.NamedNode):
        return id_, 0, term.value, ""
    if isinstance(term, pyoxigraph.BlankNode):
        return id_, 1, term.value, ""
    assert isinstance(term, pyoxigraph.Literal)
    return id_, 2, term.value, term.language or term.datatype.value
