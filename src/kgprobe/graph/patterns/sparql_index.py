"""A pyoxigraph store beside a graph, for what only SPARQL can say.

The store is made once for a table, and brought to the state of a graph by the changes in which the two differ: a
change of two triples costs two updates, however large the graph is.

A store does not keep terms exactly. It writes `01`, `1.0` and `"1"^^xsd:int` as one number, so that two triples of a
graph can become one. `exact_forms` tells which terms of the graph a literal in an answer can stand for.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from pyoxigraph import Quad, Store

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import RDF, XSD, Literal, NamedNode, Term

__all__ = ["SparqlIndex", "by_stored_form"]

_PLAIN = (XSD.string, RDF.langString)


class SparqlIndex:
    """The triples of a table and of one graph's changes to it, in a store."""

    _known: ClassVar[weakref.WeakKeyDictionary[TripleTable, SparqlIndex]] = weakref.WeakKeyDictionary()

    def __init__(self, table: TripleTable) -> None:
        graph = Graph.from_table(table)
        self._store = Store()
        self._store.bulk_extend(map(Quad, *graph.columns()))
        self._forms = by_stored_form(term for term in table.terms if _is_rewritten(term))
        self._applied: dict[KeyTriple, bool] = {}

    @classmethod
    def of(cls, graph: Graph) -> SparqlIndex:
        """The index for a graph, in its present state. It is shared by all graphs of the table: use it at once."""
        index = cls._known.get(graph.table)
        if index is None:
            index = cls._known[graph.table] = cls(graph.table)
        index._follow(graph)
        return index

    @property
    def store(self) -> Store:
        """The store, to ask and not to change."""
        return self._store

    def exact_forms(self, graph: Graph, term: Term) -> list[Term]:
        """The terms of the graph that the store has as this one."""
        if not _is_rewritten(term):
            return [term]
        assert isinstance(term, Literal)  # noqa: S101 - nothing else is rewritten
        added = {key for keys in graph.changed_keys for key in keys if isinstance(key, Literal) and _is_rewritten(key)}
        forms = [*self._forms.get(term, ()), *by_stored_form(sorted(added, key=str)).get(term, ())]
        # A value that a query made up is in no triple, and is what it is.
        return [form for form in forms if graph.count(None, None, graph.key(form))] or [term]

    def _follow(self, graph: Graph) -> None:
        """Bring the store to the state of this graph."""
        wanted = graph.changed_keys
        differing = [keys for keys in self._applied if keys not in wanted]
        differing += [keys for keys in wanted if keys not in self._applied]
        shared: set[tuple[Key, Key]] = set()
        for keys in differing:
            triple = graph.triple(keys)
            quad = Quad(triple.subject, triple.predicate, triple.object)
            if graph.has(*keys):
                self._store.add(quad)
            else:
                self._store.remove(quad)
                if _is_rewritten(graph.term(keys[2])):
                    shared.add(keys[:2])
        # What was removed may have stood for another triple as well, one that is still there.
        for s, p in shared:
            triples = (graph.triple((s, p, o)) for o in graph.objects(s, p))
            self._store.extend(Quad(t.subject, t.predicate, t.object) for t in triples)
        self._applied = dict(wanted)


def _is_rewritten(term: Term) -> bool:
    """Whether a store may write this term in another way."""
    return isinstance(term, Literal) and term.datatype not in _PLAIN


def by_stored_form(literals: Iterable[Term]) -> dict[Term, list[Term]]:
    """The literals by what a store makes of them."""
    numbered = list(literals)
    store = Store()
    predicate = NamedNode("urn:kgprobe:form")
    store.bulk_extend(Quad(NamedNode(f"urn:{n}"), predicate, literal) for n, literal in enumerate(numbered))
    forms: dict[Term, list[Term]] = defaultdict(list)
    stored = sorted((int(quad.subject.value.removeprefix("urn:")), quad.object) for quad in store)
    for n, form in stored:
        forms[form].append(numbered[n])
    return dict(forms)
