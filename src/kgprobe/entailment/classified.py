"""What the class hierarchy adds to a graph: the regime of OWL 2 DL.

These follow, beside what is stated: rdfs:subClassOf from each named class to each other one that is above it,
owl:equivalentClass between two that are above each other, and rdf:type from a thing to all classes above a named class
that it is stated to be in. A class that can have no member is below owl:Nothing, and equivalent to it; that it is below
every other class as well is left out, as is that everything is below owl:Thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from kgprobe.entailment.ancestry import Ancestry
from kgprobe.entailment.classes import class_edges
from kgprobe.entailment.told import told_hierarchy
from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Classified", "Classify"]


@dataclass(frozen=True)
class Classify:
    """Finds the hierarchy of a graph; for `Graph.found`, which asks once for each reasoner."""

    reasoner: Reasoner | None = None

    def __call__(self, graph: Graph) -> Classified:
        told = graph.found(told_hierarchy)
        found = class_edges(graph, self.reasoner)
        key = graph.key
        edges = told.edge_keys() if told.complete else [(key(lower), key(upper)) for lower, upper in found.edges]
        return Classified(graph.copy(), Ancestry(edges), frozenset(map(key, found.unsatisfiable)), found.how)


class Classified:
    """A graph and the hierarchy of its classes, by their keys."""

    def __init__(self, graph: Graph, ancestry: Ancestry, unsatisfiable: frozenset[Key], how: str) -> None:
        self.graph = graph
        self.ancestry = ancestry
        self.unsatisfiable = unsatisfiable
        self.how = how
        self._below, self._same, self.is_a, self._nothing = map(
            graph.key, (RDFS.subClassOf, OWL.equivalentClass, RDF.type, OWL.Nothing)
        )

    def triples(self) -> Iterator[KeyTriple]:
        """All triples that follow; those that are stated may be among them."""
        for lower in dict.fromkeys(chain(self.ancestry.lower(), self.unsatisfiable)):
            yield from self.about_class(lower)
        for thing in dict.fromkeys(s for s, _, _ in self.graph.rows(None, self.is_a)):
            yield from self.about_thing(thing)

    def about_class(self, lower: Key) -> Iterator[KeyTriple]:
        """What follows about a class."""
        above = self.ancestry.above(lower)
        yield from self.below(lower, above)
        if lower in above:  # it is in a circle
            for upper in above:
                if upper != lower and lower in self.ancestry.above(upper):
                    yield lower, self._same, upper
        if lower in self.unsatisfiable:
            yield lower, self._below, self._nothing
            yield lower, self._same, self._nothing

    def below(self, lower: Key, above: Iterable[Key]) -> list[KeyTriple]:
        """That a class is below others."""
        below = self._below
        return [(lower, below, upper) for upper in above if upper != lower]

    def kinds(self) -> set[Key]:
        """The classes that something is stated to be in."""
        begin, end = self.graph.table.span(None, self.is_a, None)
        objects = np.frombuffer(self.graph.table.by_predicate.second, dtype=np.uint32)[begin:end]
        return {*np.unique(objects).tolist(), *(keys[2] for keys in self.graph.changes_with(self.is_a))}

    def stated_above(self, lower: Key) -> Iterable[Key]:
        """What a class is stated to be below."""
        return self.graph.objects(lower, self._below)

    def about_thing(self, thing: Key) -> Iterator[KeyTriple]:
        """What follows about something from the classes that it is stated to be in."""
        kinds = self.graph.objects(thing, self.is_a)
        above = dict.fromkeys(upper for kind in kinds for upper in self.ancestry.above(kind))
        return ((thing, self.is_a, kind) for kind in above)

    def entails(self, triple: KeyTriple) -> bool:
        """Whether a triple follows from the hierarchy; it may be stated, too."""
        subject, predicate, value = triple
        if predicate == self._below and subject not in self.unsatisfiable:
            return subject != value and value in self.ancestry.above(subject)
        if predicate == self.is_a:
            kinds = self.graph.objects(subject, predicate) if self.ancestry.is_above_any(value) else ()
            return any(value in self.ancestry.above(kind) for kind in kinds)
        return predicate in (self._below, self._same) and triple in self.about_class(subject)
