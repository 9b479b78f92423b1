"""The conclusions from the class hierarchy (the regime of OWL 2 DL), and how they change with the graph.

In addition to the stated triples, these follow: rdfs:subClassOf from each named class to every other class above it,
owl:equivalentClass between two classes that are above each other, and rdf:type from an individual to all classes above
its stated named classes. An unsatisfiable class is below owl:Nothing and equivalent to it. Two kinds of triples are
left out: that such a class is below every other class, and that every class is below owl:Thing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise

import numpy as np

from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.entailment.closure import Closures, Difference, with_changes, with_triples
from kgprobe.entailment.rules import UndecidedError
from kgprobe.entailment.stated_hierarchy import stated_hierarchy
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached, walk, way
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS
from kgprobe.reasoners.protocol import Reasoner

_MOST_REMEMBERED = 5_000_000
_MOST_EDGES, _MOST_PAIRS = 20_000, 200_000  # limits for building the whole closure
_NONE: frozenset[Key] = frozenset()


class Ancestry:
    """Edges from a class to one above it, between the keys of classes."""

    def __init__(self, edges: Iterable[tuple[Key, Key]]) -> None:
        self.edges = dict.fromkeys(edges)
        self._up: dict[Key, list[Key]] = {}
        self._down: dict[Key, list[Key]] = {}
        for lower, upper in self.edges:
            self._up.setdefault(lower, []).append(upper)
            self._down.setdefault(upper, []).append(lower)
        self._above: dict[Key, frozenset[Key]] = {}
        self._room = _MOST_REMEMBERED

    def lower(self) -> Iterable[Key]:
        """The classes with others above them."""
        return self._up

    def is_above_any(self, node: Key) -> bool:
        """Whether an edge leads to this class."""
        return node in self._down

    def is_below_any(self, node: Key) -> bool:
        """Whether an edge leads away from this class."""
        return node in self._up

    def above(self, node: Key) -> frozenset[Key]:
        """All classes above this one; includes the class itself if it is on a cycle."""
        if not self.is_below_any(node):
            return _NONE
        if node not in self._above:
            self._look_up(node)
        found = self._above.get(node)
        return frozenset(reached(self._up[node], self._right_above)) if found is None else found

    def _look_up(self, node: Key) -> None:
        """Cache the ancestors of a class and of its ancestors, unless there are cycles or too many to store."""
        pending = [node]
        begun: set[Key] = set()
        while pending and self._room > 0:
            current = pending[-1]
            parents = self._up.get(current, ())
            missing = [parent for parent in parents if parent in self._up and parent not in self._above]
            if not missing or current in self._above:
                pending.pop()
                if current not in self._above:
                    found = frozenset(parents).union(*[self._above.get(parent, _NONE) for parent in parents])
                    self._above[current] = found
                    self._room -= len(found)
            elif current in begun or not begun.isdisjoint(missing):
                return
            else:
                begun.add(current)
                pending += missing

    def below(self, nodes: Iterable[Key]) -> set[Key]:
        """These classes and all classes below them."""
        return set(reached(nodes, self._right_below))

    def way(self, lower: Key, upper: Key) -> list[tuple[Key, Key]]:
        """The edges of a shortest path from one class to another. Raises ValueError if none exists."""
        walked = walk(lower, self._right_above)
        if upper not in walked:
            raise ValueError(f"no edges lead from {lower} to {upper}")
        return list(pairwise(way(lower, upper, walked)))

    def _right_above(self, node: Key) -> Iterable[Key]:
        return self._up.get(node, ())

    def _right_below(self, node: Key) -> Iterable[Key]:
        return self._down.get(node, ())


@dataclass(frozen=True)
class Classify:
    """Finds the hierarchy of a graph; for `Graph.found`, which keeps it for each reasoner."""

    reasoner: Reasoner | None = None

    def __call__(self, graph: Graph) -> Classified:
        stated = graph.cached(stated_hierarchy)
        try:
            found = class_edges(graph, self.reasoner)
        except UndecidedError as error:
            raise error.or_else("use the regime rl, rdfs or none, which need no class hierarchy") from None
        key = graph.key
        edges = stated.edge_keys() if stated.complete else [(key(lower), key(upper)) for lower, upper in found.edges]
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
        """All triples that follow; some of them may also be stated."""
        for lower in dict.fromkeys(chain(self.ancestry.lower(), self.unsatisfiable)):
            yield from self.about_class(lower)
        for thing in dict.fromkeys(s for s, _, _ in self.graph.rows(None, self.is_a)):
            yield from self.about_thing(thing)

    def about_class(self, lower: Key) -> Iterator[KeyTriple]:
        """The triples that follow about a class."""
        above = self.ancestry.above(lower)
        yield from self.below(lower, above)
        if lower in above:  # it is on a cycle
            for upper in above:
                if upper != lower and lower in self.ancestry.above(upper):
                    yield lower, self._same, upper
        if lower in self.unsatisfiable:
            yield lower, self._below, self._nothing
            yield lower, self._same, self._nothing

    def below(self, lower: Key, above: Iterable[Key]) -> list[KeyTriple]:
        """The triples that put a class below others."""
        below = self._below
        return [(lower, below, upper) for upper in above if upper != lower]

    def kinds(self) -> set[Key]:
        """The classes that have stated members."""
        begin, end = self.graph.table.span(None, self.is_a, None)
        objects = np.frombuffer(self.graph.table.by_predicate.second, dtype=np.uint32)[begin:end]
        return {*np.unique(objects).tolist(), *(keys[2] for keys in self.graph.changes_at(1, self.is_a) or ())}

    def stated_above(self, lower: Key) -> Iterable[Key]:
        """The classes that a class is stated to be below."""
        return self.graph.objects(lower, self._below)

    def about_thing(self, thing: Key) -> Iterator[KeyTriple]:
        """The types of an individual that follow from its stated ones."""
        kinds = self.graph.objects(thing, self.is_a)
        above = dict.fromkeys(upper for kind in kinds for upper in self.ancestry.above(kind))
        return ((thing, self.is_a, kind) for kind in above)

    def entails(self, triple: KeyTriple) -> bool:
        """Whether a triple follows from the hierarchy; it may also be stated."""
        subject, predicate, value = triple
        if predicate == self._below and subject not in self.unsatisfiable:
            return subject != value and value in self.ancestry.above(subject)
        if predicate == self.is_a:
            kinds = self.graph.objects(subject, predicate) if self.ancestry.is_above_any(value) else ()
            return any(value in self.ancestry.above(kind) for kind in kinds)
        return predicate in (self._below, self._same) and triple in self.about_class(subject)


def differences(
    old: Classified, new: Classified, removed: Collection[KeyTriple], added: Collection[KeyTriple]
) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """The triples that only the old closure has, and those that only the new one has, in a stable order.

    The classes above a class can differ only if the class is, or was, below the lower end of a changed edge.
    `removed` and `added` are the triples that only one of the graphs states.
    """
    beginnings = {lower for lower, _ in old.ancestry.edges.keys() ^ new.ancestry.edges.keys()}
    classes = old.ancestry.below(beginnings) | new.ancestry.below(beginnings)
    classes |= old.unsatisfiable ^ new.unsatisfiable
    things = _in_order(_things(old, new, classes, (*removed, *added)))
    in_order = _in_order(classes)
    return _surplus(old, new, removed, in_order, things), _surplus(new, old, added, in_order, things)


def _surplus(
    here: Classified, there: Classified, stated: Collection[KeyTriple], classes: list[Key], things: list[Key]
) -> list[KeyTriple]:
    """The triples that are stated or follow here, but not there."""
    found = [keys for keys in stated if not there.entails(keys)]
    known = set(found)
    touched = {subject for subject, _, _ in stated}
    for class_ in classes:
        more = _about_class(here, there, class_)
        found += [keys for keys in more if keys not in known] if class_ in touched else more
    for thing in things:
        more = _in_order_of_objects(set(here.about_thing(thing)).difference(there.about_thing(thing)))
        found += [keys for keys in more if keys not in known and not there.graph.has(*keys)]
    return found


def _about_class(here: Classified, there: Classified, class_: Key) -> list[KeyTriple]:
    above = here.ancestry.above(class_)
    if class_ in above or class_ in here.unsatisfiable:
        surplus = _in_order_of_objects(set(here.about_class(class_)).difference(there.about_class(class_)))
        return [keys for keys in surplus if not there.graph.has(*keys)]
    above -= there.ancestry.above(class_)
    return here.below(class_, _in_order(above.difference(there.stated_above(class_)))) if above else []


def _things(old: Classified, new: Classified, classes: set[Key], stated: Iterable[KeyTriple]) -> set[Key]:
    """The members of these classes, and the individuals whose stated types have changed."""
    kinds = [(thing, kind) for thing, predicate, kind in stated if predicate == old.is_a]
    found: set[Key] = set()
    for state in (old, new):
        found.update(thing for thing, kind in kinds if state.ancestry.is_below_any(kind))
        for kind in state.kinds() & classes:
            found.update(state.graph.subjects(state.is_a, kind))
    return found


def _in_order(keys: Iterable[Key]) -> list[Key]:
    """Sort keys independently of their origin: terms first, then numbers."""
    numbers = [key for key in keys if isinstance(key, int)]
    terms = [key for key in keys if not isinstance(key, int)]
    return [*sorted(terms, key=str), *sorted(numbers)]


def _in_order_of_objects(triples: set[KeyTriple]) -> list[KeyTriple]:
    return sorted(triples, key=lambda keys: [(isinstance(key, int), str(key)) for key in keys])


def closures_by_classes(old: Graph, new: Graph, stated: Difference, reasoner: Reasoner | None) -> Closures:
    """The closures under OWL 2 DL of two graphs on one table with this stated difference."""
    before, after = old.cached(Classify(reasoner)), new.cached(Classify(reasoner))
    found = differences(before, after, *stated)
    how = after.how if after.how == before.how else f"now {after.how}; before {before.how}"
    all_before = old.cached(_SmallClosure(reasoner))
    if all_before is not None:
        return Closures(all_before, with_changes(all_before, found), found, how)
    return Closures(_with_more(old, found[0]), _with_more(new, found[1]), found, how)


@dataclass(frozen=True)
class _SmallClosure:
    """Finds the closure of a graph; None if it is large."""

    reasoner: Reasoner | None

    def __call__(self, graph: Graph) -> Graph | None:
        found = graph.cached(Classify(self.reasoner))
        if len(found.ancestry.edges) > _MOST_EDGES:
            return None
        triples = list(islice(found.triples(), _MOST_PAIRS + 1))
        return with_triples(graph, triples) if len(triples) <= _MOST_PAIRS else None


def _with_more(graph: Graph, triples: list[KeyTriple]) -> Graph:
    """A copy with these triples added."""
    made = graph.copy()
    made.change((), made.lacking(triples))
    return made
