"""What cases show at the places where they differ from their seed graph.

A condition that learning considers holds in the seed graphs. So a mutant can violate it only at nodes that its change
touches, and only those are looked at: the work for a case depends on its change, not on the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.conditions import Focus, instances, is_instance
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_, values
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, NamedNode, Subject, Term, Triple

__all__ = ["Evidence", "Place", "Seen", "Slot", "ends_of", "predicates_of"]


@dataclass(frozen=True)
class Slot:
    """A place where cases can differ: the values of a path, from the nodes of a focus."""

    focus: Focus
    path: Path


@dataclass(frozen=True)
class Place:
    """The values of a slot at one of its nodes, in one graph."""

    graph: Graph
    values: tuple[Key, ...]

    def terms(self) -> Iterator[Term]:
        return map(self.graph.term, self.values)


@dataclass(frozen=True)
class Seen:
    """The values of a slot: in the seed graphs, and in each case that its change touches, by the case's number."""

    seeds: tuple[Place, ...]
    cases: dict[int, tuple[Place, ...]]


def predicates_of(path: Path) -> Iterator[NamedNode]:
    """The predicates that a path follows."""
    match path:
        case Predicate(iri):
            yield iri
        case Inverse(inner) | Repeat(inner, _):
            yield from predicates_of(inner)
        case Sequence_(paths) | Alternative(paths):
            for each in paths:
                yield from predicates_of(each)


def ends_of(triple: Triple) -> tuple[Subject, Term]:
    """The subject and the object of a triple. RDF-star, which pyoxigraph's types allow for, is not read."""
    subject, object_ = triple.subject, triple.object
    assert not isinstance(subject, Triple)  # noqa: S101 - no reader makes one
    assert not isinstance(object_, Triple)  # noqa: S101
    return subject, object_


class Evidence:
    """The cases, as bit sets and with their graphs. Bit i of a set stands for case i."""

    def __init__(self, cases: Sequence[JudgedGraph]) -> None:
        self.cases = tuple(cases)
        self.failing = sum(1 << i for i, case in enumerate(cases) if case.failed)
        self.passing = sum(1 << i for i, case in enumerate(cases) if not case.failed)
        self.graphs = tuple(case.graph() for case in cases)
        self.seeds = _distinct([case.seed for case in cases])
        self._changes = tuple(_Change(case.change.removed + case.change.added) for case in cases)
        self._members: dict[tuple[int, Key], dict[Key, None]] = {}
        self._seen: dict[Slot, Seen] = {}

    def is_in_a_seed(self, term: Term) -> bool:
        """Whether a seed graph has the term."""
        return any(seed.mentions(term) for seed in self.seeds)

    def changed_predicates(self, case: int) -> Iterable[NamedNode]:
        """The predicates of the triples in which a case differs from its seed."""
        return self._changes[case].by_predicate

    def changed(self, case: int, predicate: NamedNode) -> Sequence[Triple]:
        """The triples with a predicate in which a case differs from its seed."""
        return self._changes[case].by_predicate.get(predicate, ())

    def seen(self, slot: Slot, *, types_matter: bool = False) -> Seen:
        """What the cases show in a slot. `types_matter`: a change to the type of a value counts, too."""
        if types_matter:
            return self._looked_at(slot, types_matter=True)
        if slot not in self._seen:
            self._seen[slot] = self._looked_at(slot, types_matter=False)
        return self._seen[slot]

    def _looked_at(self, slot: Slot, *, types_matter: bool) -> Seen:
        at_seeds = tuple(self._place(seed, slot.path, node) for seed in self.seeds for node in self._focus(seed, slot))
        cases: dict[int, tuple[Place, ...]] = {}
        for number, change in enumerate(self._changes):
            graph = self.graphs[number]
            nodes = self._touched(slot, number, change, types_matter)
            if nodes is not None:
                cases[number] = tuple(self._place(graph, slot.path, node) for node in nodes)
        return Seen(at_seeds, cases)

    def without(self, predicates: Iterable[NamedNode]) -> list[int]:
        """The cases that lack a triple of their seed with one of these predicates."""
        looked_at = set(predicates)
        return [
            number
            for number, case in enumerate(self.cases)
            if any(triple.predicate in looked_at for triple in case.change.removed)
        ]

    def touching(self, slot: Slot) -> list[int]:
        """The cases whose change may have changed a slot that a repeated path or the types of nodes lead to."""
        looked_at = {*predicates_of(slot.path), RDF.type, RDFS.subClassOf}
        return [number for number, change in enumerate(self._changes) if looked_at & change.by_predicate.keys()]

    def _place(self, graph: Graph, path: Path, node: Key) -> Place:
        return Place(graph, tuple(values(path, graph, node)))

    def _focus(self, seed: Graph, slot: Slot) -> Iterable[Key]:
        focus = slot.focus
        if not focus.is_class or focus.via is not None:
            return focus.nodes(seed)
        class_ = seed.key(focus.term)
        known = self._members.get((id(seed), class_))
        if known is None:
            known = self._members[id(seed), class_] = instances(seed, class_)
        return known

    def _touched(self, slot: Slot, number: int, change: _Change, types_matter: bool) -> list[Key] | None:
        """The nodes of the slot whose values a case may have changed; None if there are none."""
        focus, graph = slot.focus, self.graphs[number]
        if focus.via is not None or not isinstance(slot.path, Predicate | Inverse):
            looked_at = {*predicates_of(slot.path), *(predicates_of(focus.via) if focus.via else ())}
            if focus.is_class or types_matter:
                looked_at |= {RDF.type, RDFS.subClassOf}
            return list(focus.nodes(graph)) if looked_at & change.by_predicate.keys() else None
        if change.is_about_classes and (focus.is_class or types_matter):
            return list(focus.nodes(graph))
        [predicate] = predicates_of(slot.path)
        forward = isinstance(slot.path, Predicate)
        ends: dict[Term, None] = dict.fromkeys(
            ends_of(triple)[0 if forward else 1] for triple in change.by_predicate.get(predicate, ())
        )
        if types_matter and change.retyped:
            key = graph.key(predicate)
            for term in change.retyped:
                node = graph.key(term)
                found = graph.subjects(key, node) if forward else graph.objects(node, key)
                ends |= dict.fromkeys(map(graph.term, found))
        if not focus.is_class:
            return [graph.key(focus.term)] if focus.term in ends else None
        class_ = graph.key(focus.term)
        ends |= change.retyped
        found = [key for key in map(graph.key, ends) if is_instance(graph, key, class_)]
        return found or None


class _Change:
    def __init__(self, triples: Iterable[Triple]) -> None:
        self.by_predicate: dict[NamedNode, list[Triple]] = {}
        for triple in triples:
            self.by_predicate.setdefault(triple.predicate, []).append(triple)

    @cached_property
    def is_about_classes(self) -> bool:
        return RDFS.subClassOf in self.by_predicate

    @cached_property
    def retyped(self) -> dict[Term, None]:
        return dict.fromkeys(ends_of(triple)[0] for triple in self.by_predicate.get(RDF.type, ()))


def _distinct(graphs: Iterable[Graph]) -> tuple[Graph, ...]:
    return tuple({id(graph): graph for graph in graphs}.values())
