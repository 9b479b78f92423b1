"""A store for SPARQL queries on exact terms, and SPARQL functions that convert its stand-ins back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from pyoxigraph import (
    DefaultGraph,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    Store,
    Variable,
)

from kgprobe.errors import InputError, Position
from kgprobe.processes.limits import is_bounded
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.limited import GraphWorker, UndecidedError
from kgprobe.rdf.table import KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.sparql.engine.results import Answer, ComparableAnswer, Rows, comparable
from kgprobe.sparql.engine.rewriting import FUNCTIONS, Rewritten, exact, rewritten, rewritten_literals, stand_in
from kgprobe.sparql.pyoxigraph import Function, Functions, Results, answer, check_evaluable, is_known_function

_MOST_GROWTH = 1000
_SECONDS = 60.0  # for a query whose texts may grow

__all__ = ["AnyStore", "ExactStore", "GraphStore", "PreparedQuery", "answer_of"]


def _str(term: Term) -> Term | None:
    return None if isinstance(term, BlankNode) else Literal(term.value)


def _datatype(term: Term) -> Term | None:
    found = exact(term)
    return found.datatype if isinstance(found, Literal) else None


def _strdt(text: Term, datatype: Term) -> Term | None:
    is_plain = isinstance(text, Literal) and text.datatype == Literal("").datatype
    return stand_in(Literal(text.value, datatype=datatype)) if is_plain and isinstance(datatype, NamedNode) else None


_BY_NAME: dict[str, Function] = {"value": exact, "str": _str, "datatype": _datatype, "strdt": _strdt}

EXACT_FUNCTIONS: Functions = {NamedNode(FUNCTIONS + name): function for name, function in _BY_NAME.items()}


class _Aggregate:
    """A SPARQL aggregate over the literals that stand-ins stand for."""

    def __init__(self, name: str, *, is_distinct: bool) -> None:
        self._name = name
        self._is_distinct = is_distinct
        self._terms: list[Term] = []

    def accumulate(self, term: Term) -> None:
        self._terms.append(term)

    def finish(self) -> Term | None:
        terms = list(dict.fromkeys(self._terms)) if self._is_distinct else self._terms
        found = self._of(terms)
        if found is None or self._name not in ("MIN", "MAX"):
            return found
        # The least or greatest term in its original spelling.
        alike = [term for term in terms if self._of([term]) == found]
        return min(alike, key=str, default=found)

    def _of(self, terms: list[Term]) -> Term | None:
        blanks = sorted((term for term in terms if isinstance(term, BlankNode)), key=str)
        others = [term for term in terms if not isinstance(term, BlankNode)]
        if blanks and self._name not in ("MIN", "MAX"):
            return None  # they have no sum
        if blanks and (self._name == "MIN" or not others):  # blank nodes come before all other terms
            return blanks[0] if self._name == "MIN" else blanks[-1]
        values = " ".join(str(exact(term)) for term in others)
        results = answer(Store(), f"SELECT ({self._name}(?x) AS ?found) {{ VALUES ?x {{ {values} }} }}", self._name)
        assert isinstance(results, QuerySolutions)  # noqa: S101 - SELECT returns solutions
        found: Term | None = next(results)["found"]
        return found


def _aggregate(name: str, *, is_distinct: bool) -> Callable[[], _Aggregate]:
    return lambda: _Aggregate(name, is_distinct=is_distinct)


AGGREGATES = {
    NamedNode(f"{FUNCTIONS}{name.lower()}{'-distinct' if is_distinct else ''}"): _aggregate(
        name, is_distinct=is_distinct
    )
    for name in ("SUM", "AVG", "MIN", "MAX")
    for is_distinct in (False, True)
}


@dataclass(frozen=True)
class PreparedQuery:
    """A query, and its form for stores with stand-ins; None if it goes beyond SPARQL 1.1."""

    text: str
    name: str
    prefixes: dict[str, str]
    form: Rewritten | None

    @classmethod
    def of(cls, text: str, name: str, prefixes: Mapping[str, str] | None = None) -> PreparedQuery:
        """Errors give `name` as the source of the text. `prefixes` apply unless the text declares its own."""
        check_evaluable(text, name)
        given = dict(prefixes or {})
        return cls(text, name, given, _form(text, tuple(given.items())))

    def results(
        self, store: Store, *, substitutions: Mapping[Variable, Term] | None = None, has_stand_ins: bool
    ) -> Results:
        """The answer of a store whose literals are exact or have stand-ins.

        Raises pyoxigraph's SyntaxError, RuntimeError and OSError, and InputError if there is no exact answer.
        """
        form = self.form
        if form is None and has_stand_ins:
            message = "this query uses more than SPARQL 1.1, and the graph has literals that it would confuse"
            raise InputError(message, where=Position(self.name))
        if form is None or not self.is_rewritten(has_stand_ins=has_stand_ins):
            return answer(store, self.text, self.name, prefixes=self.prefixes, substitutions=substitutions)
        return answer(
            store,
            self.text,
            self.name,
            rewritten=form.spellings,
            prefixes=self.prefixes,
            substitutions=substitutions,
            functions=EXACT_FUNCTIONS,
            aggregates=AGGREGATES,
        )

    def is_rewritten(self, *, has_stand_ins: bool) -> bool:
        """Whether a store evaluates the query in its other form."""
        return self.form is not None and (self.form.is_needed or (has_stand_ins and self.form.looks_at_values))

    @property
    def is_tame(self) -> bool:
        """Whether its texts cannot grow so much that they fill the memory."""
        return self.form is not None and self.form.growth <= _MOST_GROWTH

    def unknown_functions(self) -> list[str]:
        """The functions that the query calls but that do not exist."""
        return [] if self.form is None else [iri for iri in self.form.functions if not is_known_function(iri)]


class ExactStore:
    """The triples of a graph, with exact terms."""

    def __init__(self, graph: Graph) -> None:
        self._made_of = graph.copy()
        self._since: dict[Triple | Quad, bool] = {}  # whether it was added or removed
        subjects, predicates, objects = graph.columns()
        added = (key for keys in graph.changed_keys for key in keys if isinstance(key, Literal))
        stand_ins: dict[Term, Term] = {
            term: stand_in(term) for term in rewritten_literals(chain(graph.table.terms, added))
        }
        self._stand_ins = 0  # the number of triples that have one
        if stand_ins:
            stored = [stand_ins.get(term, term) for term in objects]
            self._stand_ins = sum(exact(term) is not term for term in stored)
            objects = iter(stored)
        self._store = Store()
        self._store.bulk_extend(map(Quad, subjects, predicates, objects))

    def add(self, triple: Triple | Quad) -> None:
        """Add a triple that the store lacks."""
        self._store.add(self._quad(triple, 1))
        self._note(triple, is_added=True)

    def remove(self, triple: Triple | Quad) -> None:
        """Remove a triple of the store."""
        self._store.remove(self._quad(triple, -1))
        self._note(triple, is_added=False)

    @contextmanager
    def holding(self, triples: Iterable[Triple | Quad]) -> Iterator[None]:
        """Add triples that the store lacks, some in named graphs, and remove them at the end of the block."""
        before = self._stand_ins
        held = list(triples)
        quads = [self._quad(triple, 1) for triple in held]
        self._store.extend(quads)
        for triple in held:
            self._note(triple, is_added=True)
        try:
            yield
        finally:
            for quad in quads:
                self._store.remove(quad)
                if not isinstance(quad.graph_name, DefaultGraph):
                    self._store.remove_graph(quad.graph_name)  # without it, an empty graph stays
            self._stand_ins = before
            for triple in held:
                self._note(triple, is_added=False)

    def query(self, text: str, name: str = "<query>", prefixes: Mapping[str, str] | None = None) -> Answer:
        """The answer to a query. Errors give `name` as its source."""
        return self.ask(PreparedQuery.of(text, name, prefixes))

    def ask(self, query: PreparedQuery, bindings: Mapping[str, Term] | None = None) -> Answer:
        """The answer to a prepared query, which can be asked more than once. `bindings` are values of its variables."""
        if not query.is_tame and not is_bounded():
            graph, since = self._made_of, self._since
            if not any(isinstance(each, Quad) for each in since):  # the other process knows how to follow a graph
                graph, since = graph.copy(), {}
                for triple, is_added in self._since.items():
                    (graph.add if is_added else graph.remove)(triple)  # type: ignore[arg-type]  # see above
            return _Question(query, dict(bindings or {}), since).answered(graph)
        terms = {Variable(name): stand_in(term) for name, term in (bindings or {}).items()}
        return _exactly(query.results(self._store, substitutions=terms or None, has_stand_ins=self._stand_ins > 0))

    def table(self, query: PreparedQuery) -> bytes | None:
        """The table of a SELECT query, for comparison with other tables of this store; None if it needs `ask`.

        The rows are in no particular order, and may have stand-ins. This is several times faster than making terms. It
        does not work for queries that are rewritten: the same literal can then have two forms.
        """
        if query.form is None or not query.is_tame or query.is_rewritten(has_stand_ins=self._stand_ins > 0):
            return None
        results = query.results(self._store, has_stand_ins=self._stand_ins > 0)
        return results.serialize(format=QueryResultsFormat.TSV) if isinstance(results, QuerySolutions) else None

    def _note(self, triple: Triple | Quad, *, is_added: bool) -> None:
        if self._since.get(triple, is_added) != is_added:
            del self._since[triple]
        else:
            self._since[triple] = is_added

    def _quad(self, triple: Triple | Quad, count: int) -> Quad:
        object_ = triple.object
        stored = stand_in(object_) if type(object_) is Literal else object_
        if stored is not object_:
            self._stand_ins += count
        if isinstance(triple, Quad):
            return Quad(triple.subject, triple.predicate, stored, triple.graph_name)
        return Quad(triple.subject, triple.predicate, stored)


class UnansweredError(InputError):
    """A query that passed a limit of time or memory: its answer is not known."""


@dataclass(frozen=True, eq=False)
class _Question:
    """A query that may take too much for this process, on a graph that has changed since."""

    query: PreparedQuery
    bindings: Mapping[str, Term]
    since: Mapping[Triple | Quad, bool]

    def answered(self, graph: Graph) -> Answer:
        """The answer, found in another process. UnansweredError if it passes a limit."""
        try:
            found = GraphWorker.shared().ask(self, "answer", graph, _SECONDS, is_kept=False)
        except UndecidedError as error:
            hint = "texts that grow can fill any memory"
            raise UnansweredError(f"cannot be answered: {error}", where=Position(self.query.name), hint=hint) from None
        if isinstance(found, bool):
            return found
        return Rows(found[0], iter(found[1])) if isinstance(found, tuple) else iter(found)

    def answer(self, graph: Graph) -> bool | tuple[tuple[str, ...], list[dict[str, Term]]] | list[Triple]:
        """For the other process: the answer as a value that can be sent."""
        if not self.since:
            found = GraphStore(graph).ask(self.query, self.bindings)
        else:
            store = ExactStore(graph)
            for triple, is_added in self.since.items():
                if is_added:
                    store.add(triple)
                else:
                    store.remove(triple)
            found = store.ask(self.query, self.bindings)
        if isinstance(found, bool):
            return found
        return (found.names, list(found.rows)) if isinstance(found, Rows) else list(found)


@functools.lru_cache(maxsize=1 << 10)
def _form(text: str, prefixes: tuple[tuple[str, str], ...]) -> Rewritten | None:
    try:
        return rewritten(text, dict(prefixes))
    except ValueError:  # half a surrogate pair
        return None


def _exactly(results: Results) -> Answer:
    """The answer, with stand-ins replaced by the literals that they stand for."""
    if isinstance(results, QueryBoolean):
        return bool(results)
    if isinstance(results, QuerySolutions):
        names = tuple(variable.value for variable in results.variables)
        return Rows(names, (_row(solution, names) for solution in results))
    return (Triple(t.subject, t.predicate, exact(t.object)) for t in results)


def _row(solution: Any, names: tuple[str, ...]) -> dict[str, Term]:
    return {name: exact(term) for name in names if (term := solution[name]) is not None}


class GraphStore:
    """A store for queries on a graph that may change. All graphs of one table share what is stored."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def query(self, text: str, name: str = "<query>", prefixes: Mapping[str, str] | None = None) -> Answer:
        """The answer to a query on the present state of the graph. Errors give `name` as its source."""
        return self.ask(PreparedQuery.of(text, name, prefixes))

    def ask(self, query: PreparedQuery, bindings: Mapping[str, Term] | None = None) -> Answer:
        """The answer to a prepared query, as that of `ExactStore`."""
        return _SHARED.of(self._graph.table).following(self._graph).ask(query, bindings)

    def table(self, query: PreparedQuery) -> bytes | None:
        """The table of a SELECT query, as that of `ExactStore`."""
        return _SHARED.of(self._graph.table).following(self._graph).table(query)


class _SharedStore:
    """A store with the triples of a table and the changes of one graph."""

    def __init__(self, table: TripleTable) -> None:
        self._store = ExactStore(Graph.from_table(table))
        self._applied: dict[KeyTriple, bool] = {}

    def following(self, graph: Graph) -> ExactStore:
        """The store, with the present state of this graph."""
        wanted = graph.changed_keys
        differing = [keys for keys in self._applied if keys not in wanted]
        differing += [keys for keys in wanted if keys not in self._applied]
        for keys in differing:
            if graph.has(*keys):
                self._store.add(graph.triple(keys))
            else:
                self._store.remove(graph.triple(keys))
        self._applied = dict(wanted)
        return self._store


_SHARED = PerTable(_SharedStore)


AnyStore: TypeAlias = ExactStore | GraphStore


def answer_of(query: str | PreparedQuery, store: AnyStore) -> ComparableAnswer:
    """The answer of a store, or the message of its error, as a value that can be compared."""
    try:
        return known_answer_of(query, store)
    except UnansweredError as error:
        return f"error: {error}"


def known_answer_of(query: str | PreparedQuery, store: AnyStore) -> ComparableAnswer:
    """As `answer_of`, but UnansweredError if the query passes a limit."""
    try:
        prepared = PreparedQuery.of(query, "<query>") if isinstance(query, str) else query
        return comparable(store.ask(prepared))
    except UnansweredError:
        raise
    except (RuntimeError, OSError, InputError) as error:  # for example, an unknown function
        return f"error: {error}"
