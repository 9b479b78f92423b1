"""For a change that no test noticed, a query that would notice it: its answers on the two graphs were compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kgprobe.entailment.closure import EntailedChange
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling
from kgprobe.rdf.terms import RDF, BlankNode, Literal, NamedNode, Triple
from kgprobe.selection.audit import answer_of
from kgprobe.sparql.engine.exact_store import SparqlIndex

__all__ = ["MOST_TRIPLES", "QueryWriter", "suggested"]

MOST_TRIPLES = 25
"""Larger patterns are hard to read, and can be slow to match."""
_MOST_ENTAILED = 20


def suggested(delta: Delta, change: EntailedChange, graph: Graph) -> str | None:
    """A query with different answers on the two graphs of a change, which the delta made; None if none was found."""
    writer = QueryWriter(graph)
    for query in _candidates(delta, change, writer):
        if _answer(query, change.old) != _answer(query, change.new):
            return query
    return None


def _answer(query: str, graph: Graph) -> object:
    return answer_of(query, SparqlIndex.of(graph).store)


def _candidates(delta: Delta, change: EntailedChange, writer: QueryWriter) -> Iterator[str]:
    stated: list[Sequence[Triple]] = [part for part in (delta.removed, delta.added) if part]
    for part in stated:
        if len(part) <= MOST_TRIPLES:
            yield from writer.query("ASK {{ {} }}", _connected(part))
    # What follows from the change: a triple with names only is the easiest to ask for.
    for triple in islice((each for each in _entailed(change) if _is_named(each)), _MOST_ENTAILED):
        yield from writer.query("ASK {{ {} }}", [triple])
    for part in stated:
        if len(part) <= MOST_TRIPLES:
            yield from writer.query("SELECT (COUNT(*) AS ?count) WHERE {{ {} }}", _connected(part))
    for part in (*stated, list(islice(_entailed(change), _MOST_ENTAILED))):
        for triple in part:
            yield from writer.query("SELECT (COUNT(*) AS ?count) WHERE {{ {} }}", [triple])
    predicates = dict.fromkeys(each.predicate for part in (*stated, list(_entailed(change))) for each in part)
    for predicate in predicates:
        yield from writer.count(predicate)


def _entailed(change: EntailedChange) -> Iterator[Triple]:
    triple = change.names.triple
    return map(triple, (*change.gone, *change.come))


def _is_named(triple: Triple) -> bool:
    return not isinstance(triple.subject, BlankNode) and not isinstance(triple.object, BlankNode)


def _connected(triples: Sequence[Triple]) -> list[Triple]:
    """The triples of names first, and each blank node after the triple that leads to it."""
    about: dict[object, list[Triple]] = {}
    for triple in triples:
        about.setdefault(triple.subject, []).append(triple)
    inner = {triple.object for triple in triples if isinstance(triple.object, BlankNode)}
    pending = [subject for subject in about if subject not in inner] or list(about)[:1]
    found: dict[Triple, None] = {}
    for subject in pending:
        for triple in about.pop(subject, ()):
            found[triple] = None
            if triple.object in about:
                pending.append(triple.object)
    return [*found, *(triple for triple in triples if triple not in found)]


class QueryWriter:
    """Writes queries on one line, with the prefixes that they use. Blank nodes become variables."""

    def __init__(self, graph: Graph) -> None:
        self._spelling = Spelling({**STANDARD_PREFIXES, **graph.spelling.prefixes})

    def query(
        self, template: str, triples: Sequence[Triple], named: dict[BlankNode, str] | None = None
    ) -> Iterator[str]:
        """The query; nothing if it would have parts that SPARQL 1.1 does not have. `named` gets the variables."""
        if any(type(triple.object) is Triple for triple in triples):
            return
        used: dict[str, None] = {}
        variables = {} if named is None else named
        texts = []
        for triple in triples:
            parts = [self._term(part, used, variables) for part in (triple.subject, triple.predicate, triple.object)]
            texts.append(" ".join(["a" if triple.predicate == RDF.type and i == 1 else p for i, p in enumerate(parts)]))
        yield self._prologue(used) + template.format(" . ".join(texts))

    def count(self, predicate: NamedNode) -> Iterator[str]:
        used: dict[str, None] = {}
        text = self._term(predicate, used, {})
        yield f"{self._prologue(used)}SELECT (COUNT(*) AS ?count) WHERE {{ ?subject {text} ?object }}"

    def _term(self, term: object, used: dict[str, None], variables: dict[BlankNode, str]) -> str:
        if isinstance(term, BlankNode):
            return variables.setdefault(term, f"?x{len(variables) + 1}")
        if isinstance(term, Literal) and not term.language and "^^" in str(term):
            return f"{Literal(term.value)}^^{self._term(term.datatype, used, variables)}"
        if not isinstance(term, NamedNode):
            return str(term)
        text = self._spelling.term(term)
        if not text.startswith("<") and term != RDF.type:
            used[text.partition(":")[0]] = None
        return str(term) if term == RDF.type else text

    def _prologue(self, used: dict[str, None]) -> str:
        return "".join(f"PREFIX {name}: <{self._spelling.prefixes[name]}> " for name in used)
