"""Runs queries on an ontology together with data, under an entailment regime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.graph.pattern import Variable
from kgprobe.graph.sparql.exact_store import ExactStore, PreparedQuery, Rows
from kgprobe.graph.terms import Term, Triple
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.sparql.schema import Schema
from kgprobe.sparql.testing.assignments import Assignment
from kgprobe.sparql.testing.outcome import Answer

__all__ = ["Loaded", "Runner"]


class Loaded:
    """Ontology and data, ready for queries."""

    def __init__(self, store: ExactStore) -> None:
        self._store = store

    def answers(self, query: PreparedQuery, bindings: Mapping[str, Term] | None = None) -> list[Answer]:
        """The answers of a query. True is one answer without variables; a triple has three.

        Raises InputError if the query cannot be evaluated.
        """
        try:
            found = self._store.ask(query, bindings)
            if isinstance(found, bool):
                return [{}] if found else []
            if isinstance(found, Rows):
                return list(found.rows)
            return [
                {"subject": triple.subject, "predicate": triple.predicate, "object": triple.object}  # type: ignore[dict-item]
                for triple in found
            ]
        except (SyntaxError, RuntimeError, OSError) as error:
            raise InputError(f"{query.name} cannot be evaluated: {error}") from None


# A store slows down with the number of triples that it has held, even after they are removed. So it is made again after
# this many, or after as many as the ontology has.
_MOST_HELD = 1_000


class Runner:
    """Runs queries on data, together with one ontology. Without entailment, the ontology is loaded once.

    UndecidedError if the regime cannot be applied to the ontology.
    """

    def __init__(self, schema: Schema, regime: Regime, reasoner: Reasoner) -> None:
        self._schema = schema
        self._regime = regime
        self._reasoner = reasoner
        self._store = ExactStore(schema.graph)
        self._held = 0
        self._subjects = frozenset(triple.subject for triple in schema.graph)
        if regime is Regime.DL:  # if nobody knows what follows from the ontology alone, no data can be tested
            closed(schema.graph, regime, reasoner)

    @contextmanager
    def loaded(self, data: Sequence[Triple]) -> Iterator[Loaded]:
        """Ontology and data together; use it only within the block. UndecidedError if the regime cannot be applied."""
        if self._regime is not Regime.NONE:
            yield Loaded(ExactStore(closed(self.graph(data), self._regime, self._reasoner).graph))
            return
        known = self._subjects  # most triples are about new individuals, which the ontology does not have
        new = [triple for triple in data if triple.subject not in known or triple not in self._schema.graph]
        self._held += len(new)
        if self._held > max(_MOST_HELD, len(self._schema.graph)):
            self._store, self._held = ExactStore(self._schema.graph), 0
        with self._store.holding(new):
            yield Loaded(self._store)

    def graph(self, data: Sequence[Triple]) -> Graph:
        """The ontology and the data as a graph."""
        graph = self._schema.graph.copy()
        for triple in data:
            graph.add(triple)
        return graph

    def schema_rows(self, query: str) -> list[Assignment]:
        """The answers of a query on the ontology alone."""
        with self.loaded(()) as loaded:
            try:
                rows = loaded.answers(PreparedQuery.of(query, "<ontology>"))
            except InputError:
                return []
        return [{Variable(name): term for name, term in row.items()} for row in rows]
