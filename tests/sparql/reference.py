"""A reference implementation of uses: SPARQL over one triple, and closures of small relations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from pyoxigraph import DefaultGraph, Quad, QueryBoolean, QuerySolutions, QueryTriples, Store

from kgprobe.rdf.terms import NamedNode, Term, Triple
from kgprobe.sparql.uses import AnyUse, PathUse, Slot, TripleUse, Use

__all__ = ["Asked", "matches"]

_NEW_BLANK = re.compile(r"_:[0-9a-f]{8,}")
NAMED_GRAPH = NamedNode("http://example.org/g")


class Asked:
    """A query and a graph that can change. Its triples are also in a named graph."""

    def __init__(self, query: str, graph: Iterable[Triple]) -> None:
        self._query = query
        self._store = Store()
        self._store.add_graph(NAMED_GRAPH)
        for triple in graph:
            self.flip(triple)

    def flip(self, triple: Triple) -> None:
        """Add the triple, or remove it if the graph has it."""
        for name in (DefaultGraph(), NAMED_GRAPH):
            quad = Quad(triple.subject, triple.predicate, triple.object, name)
            if quad in self._store:
                self._store.remove(quad)
            else:
                self._store.add(quad)

    def answer(self) -> object:
        """The answer, in a form that can be compared."""
        found = self._store.query(self._query)
        if isinstance(found, QueryBoolean):
            return bool(found)
        if isinstance(found, QueryTriples):
            # A blank node that is not of the graph is new, and has another name each time.
            return Counter(_NEW_BLANK.sub("_:new", str(triple)) for triple in found)
        assert isinstance(found, QuerySolutions)
        return Counter(tuple(map(str, solution)) for solution in found)


def matches(use: Use, old: set[Triple], new: set[Triple]) -> bool:
    """Whether the change from one graph to the other matches the use."""
    if isinstance(use, AnyUse):
        return old != new
    if isinstance(use, TripleUse):
        return any(_matches_triple(use, triple) for triple in old ^ new)
    return _pairs(use, old) != _pairs(use, new)


def _matches_triple(use: TripleUse, triple: Triple) -> bool:
    names = {}
    values = []
    for place, slot in (("s", use.subject), ("p", use.predicate), ("o", use.object)):
        name = slot.variable or f"constant_{place}"
        names[place] = f"?hidden{len(name)}" if name.startswith(("_:", "[")) else f"?{name}"
        if slot.terms is not None:
            values.append(f"VALUES {names[place]} {{ {' '.join(map(str, slot.terms))} }}")
    filters = [f"FILTER({condition.text})" for condition in use.conditions]
    for condition in use.conditions:
        assert {f"?{variable}" for variable in condition.variables} <= set(names.values())
    query = f"ASK {{ {names['s']} {names['p']} {names['o']} . {' '.join(values + filters)} }}"
    return bool(Asked(query, [triple]).answer())


def _pairs(use: PathUse, graph: set[Triple]) -> set[tuple[Term, Term]]:
    """The pairs that a path connects, by the SPARQL semantics of `*` and `+`."""
    steps: set[tuple[Term, Term]] = set()
    for triple in graph:
        if (triple.predicate, False) in use.edges:
            steps.add((_term(triple.subject), _term(triple.object)))
        if (triple.predicate, True) in use.edges:
            steps.add((_term(triple.object), _term(triple.subject)))
    pairs = set(steps)
    while more := {(a, d) for a, b in pairs for c, d in steps if b == c} - pairs:
        pairs |= more
    if use.reflexive:
        nodes = {_term(part) for triple in graph for part in (triple.subject, triple.object)}
        pairs |= {(node, node) for node in nodes}
    return {pair for pair in pairs if _allows(use.subject, pair[0]) and _allows(use.object, pair[1])}


def _allows(slot: Slot, term: Term) -> bool:
    return slot.terms is None or term in slot.terms


def _term(part: object) -> Term:
    assert not isinstance(part, Triple)
    return part  # type: ignore[return-value]  # the graphs here have no triples in triples
