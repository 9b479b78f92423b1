"""The terms that a change concerns: those in changed triples, and those above them.

A test that names a class may look at its members and at all classes below it. So a change of any of these concerns it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key, KeyTriple
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.selection.changed_triples import Changed

__all__ = ["HIERARCHY", "ConcernedTerms", "Way"]

# From a class, a property or an individual to the terms directly above it.
HIERARCHY: tuple[NamedNode, ...] = (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type)
_EQUIVALENCES = (OWL.equivalentClass, OWL.equivalentProperty, OWL.sameAs)


@dataclass(frozen=True, slots=True)
class Way:
    """A path from a changed triple to a term; `size` is the number of changed triples that have the term itself."""

    changed: Changed
    path: tuple[Triple, ...]
    size: int


class ConcernedTerms:
    """The terms that a change concerns, found by one walk up from the changed triples in both states of the graph."""

    def __init__(self, old: Graph, new: Graph, changed: Iterable[tuple[KeyTriple, Changed]]) -> None:
        """`changed` are the changed triples by their keys in the two graphs."""
        self._old = old
        self._named: dict[Key, list[Changed]] = {}
        for keys, each in changed:
            for key in keys:
                self._named.setdefault(key, []).append(each)
        # From which key each key was reached, and over which triple.
        self._reached: dict[Key, tuple[Key, Triple]] = {}
        for state in (old, new):
            self._walk(state)

    def way_to(self, term: Term) -> Way | None:
        """The path from the change to a term; None if the change does not concern the term."""
        key = self._old.key(term)
        size = len(self._named.get(key, ()))
        path = []
        while key not in self._named:
            if key not in self._reached:
                return None
            key, over = self._reached[key]
            path.append(over)
        return Way(self._named[key][0], tuple(reversed(path)), max(size, 1))

    def _walk(self, state: Graph) -> None:
        hierarchy, equivalences = (
            [key for key in map(state.key, terms) if state.count(None, key, None)]
            for terms in (HIERARCHY, _EQUIVALENCES)
        )
        pending = list(dict.fromkeys([*self._named, *self._reached]))
        seen = set(pending)
        for key in pending:
            for above, triple in _above(state, key, hierarchy, equivalences):
                if above not in seen:
                    seen.add(above)
                    pending.append(above)
                    if above not in self._named and above not in self._reached:
                        self._reached[above] = (key, state.triple(triple))


def _above(
    state: Graph, key: Key, hierarchy: Iterable[Key], equivalences: Iterable[Key]
) -> Iterator[tuple[Key, tuple[Key, Key, Key]]]:
    if isinstance(state.term(key), BlankNode):
        # A change of a blank node concerns the terms that it describes and those that it refers to.
        for row in state.rows(key, None, None):
            yield row[2], row
        for row in state.rows(None, None, key):
            yield row[0], row
        return
    for predicate in hierarchy:
        for above in state.objects(key, predicate):
            yield above, (key, predicate, above)
    for predicate in equivalences:
        for same in state.objects(key, predicate):
            yield same, (key, predicate, same)
        for same in state.subjects(predicate, key):
            yield same, (same, predicate, key)
