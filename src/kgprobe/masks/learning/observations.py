"""What cases show at the places where they differ from their seed graph.

A condition that learning considers holds in the seed graphs. So a mutant can violate it only at nodes that its change
touches, and only those are looked at: the work for a case depends on its change, not on the size of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from kgprobe.masks.constraints import is_instance
from kgprobe.masks.learning.conditions import Focus, HasValue, instances
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_, values
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, Literal, NamedNode, Subject, Term, Triple

__all__ = ["JudgedGraph", "OnProgress", "ends_of", "nobody_watches"]


OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is going on, how much of it is done, and how much there is."""


def nobody_watches(_what: str, _done: int, _total: int) -> None:
    """For callers that do not show progress."""


@dataclass(frozen=True)
class JudgedGraph:
    """A graph that a system ran on, as the seed graph and a change of it, and whether the system failed.

    Where a CSV file or a store has cases with numbers, `name` is its name, `#` and the number: `onlySuave04#7`.
    """

    name: str
    seed: Graph
    change: Delta
    failed: bool

    def graph(self) -> Graph:
        """The graph: a copy of the seed graph that holds only the change."""
        graph = self.seed.copy()
        graph.apply(self.change)
        return graph


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
            for part in paths:
                yield from predicates_of(part)


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
                others = graph.subjects(key, node) if forward else graph.objects(node, key)
                ends |= dict.fromkeys(map(graph.term, others))
        if not focus.is_class:
            return [graph.key(focus.term)] if focus.term in ends else None
        class_ = graph.key(focus.term)
        ends |= change.retyped
        others = [key for key in map(graph.key, ends) if is_instance(graph, key, class_)]
        return others or None


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


# Limits for nodes with many neighbours, such as classes: each neighbour would add conditions.
_MOST_NEIGHBOURS = 10
_MOST_PATHS = 8
_MOST_CLASSES = 8
_MOST_ANCHORS = 20
_MOST_MEMBERS = 2_000
_SCHEMA = (RDF.type, RDFS.subClassOf)


def slots(evidence: Evidence) -> list[Slot]:
    """The slots that changes of failing cases touch, each once, in a fixed order."""
    touched: dict[Slot, None] = {}
    for number, case in enumerate(evidence.cases):
        if case.failed:
            graph = evidence.graphs[number]
            for triple in (*case.change.removed, *case.change.added):
                touched |= dict.fromkeys(_slots_of(triple, graph, case.seed))
    touched |= dict.fromkeys(_closure_slots(evidence))
    in_a_seed: dict[NamedNode, bool] = {}
    for slot in touched:
        term = slot.focus.term
        if term not in in_a_seed:
            in_a_seed[term] = slot.focus.is_class or evidence.is_in_a_seed(term)
    return [slot for slot in touched if in_a_seed[slot.focus.term]]


def _slots_of(triple: Triple, graph: Graph, seed: Graph) -> Iterator[Slot]:
    (s, o), p = ends_of(triple), triple.predicate
    there: Path = Predicate(p)
    back: Path = Inverse(Predicate(p))
    yield from _around(s, there, graph, seed)
    yield from _around(o, back, graph, seed)
    # The changed triple may lead to a node that was always as it is, but nobody looked there before.
    steps: tuple[tuple[Term, Path, Term], ...] = ((s, there, o), (o, back, s))
    for term, step, other in steps:
        if isinstance(term, NamedNode) and p != RDF.type and not isinstance(other, Literal):
            for onward in _paths_from(other, graph):
                yield Slot(Focus(term, via=step), onward)
    if p == RDF.type and isinstance(o, NamedNode):
        example = next((seed.term(subject) for subject in seed.subjects(seed.table.is_a, seed.key(o))), None)
        paths = dict.fromkeys(_paths_from(s, graph))
        if example is not None:
            paths |= dict.fromkeys(_paths_from(example, seed))
        for path in paths:
            yield Slot(Focus(o, is_class=True), path)


def _around(term: Term, path: Path, graph: Graph, seed: Graph) -> Iterator[Slot]:
    if isinstance(term, Literal):
        return
    if isinstance(term, NamedNode):
        yield Slot(Focus(term), path)
    for class_ in classes_of(term, graph, seed):
        yield Slot(Focus(class_, is_class=True), path)
    for step, neighbour in _neighbours(term, graph, seed):
        yield Slot(Focus(neighbour, via=step), path)


def classes_of(term: Term, *graphs: Graph) -> list[NamedNode]:
    """The classes of a node in these graphs, nearest first."""
    classes: dict[Term, None] = {}
    for graph in graphs:
        is_a, above = graph.table.is_a, graph.key(RDFS.subClassOf)
        level = dict.fromkeys(graph.objects(graph.key(term), is_a))
        seen: dict[Key, None] = {}
        while level and len(seen) < _MOST_CLASSES:
            seen |= level
            level = {up: None for class_ in level for up in graph.objects(class_, above) if up not in seen}
        classes |= dict.fromkeys(map(graph.term, seen))
    return [class_ for class_ in classes if isinstance(class_, NamedNode)][:_MOST_CLASSES]


def _neighbours(term: Term, *graphs: Graph) -> Iterator[tuple[Path, NamedNode]]:
    """Nodes that a step leads from to this one, with the step."""
    neighbours: dict[tuple[Path, NamedNode], None] = {}
    for graph in graphs:
        key = graph.key(term)
        for predicate, subject in _to(key, graph):
            if isinstance(subject, NamedNode) and predicate not in _SCHEMA:
                neighbours[Predicate(predicate), subject] = None
        for predicate, object_ in _from(key, graph):
            if isinstance(object_, NamedNode) and predicate not in _SCHEMA:
                neighbours[Inverse(Predicate(predicate)), object_] = None
    yield from neighbours


def _paths_from(term: Term, graph: Graph) -> list[Path]:
    """The paths of one step that lead from this node somewhere."""
    key = graph.key(term)
    forward: list[Path] = [Predicate(predicate) for predicate, _ in _from(key, graph) if predicate not in _SCHEMA]
    backward: list[Path] = [
        Inverse(Predicate(predicate)) for predicate, _ in _to(key, graph) if predicate not in _SCHEMA
    ]
    return list(dict.fromkeys((*forward, *backward)))[:_MOST_PATHS]


def _from(node: Key, graph: Graph) -> Iterator[tuple[NamedNode, Term]]:
    """The predicates and objects of the first triples with this subject."""
    for _, p, o in islice(graph.rows(node), _MOST_NEIGHBOURS):
        yield _named(p, graph), graph.term(o)


def _to(node: Key, graph: Graph) -> Iterator[tuple[NamedNode, Term]]:
    """The predicates and subjects of the first triples with this object."""
    for s, p, _ in islice(graph.rows(None, None, node), _MOST_NEIGHBOURS):
        yield _named(p, graph), graph.term(s)


def _named(predicate: Key, graph: Graph) -> NamedNode:
    term = graph.term(predicate)
    assert isinstance(term, NamedNode)  # noqa: S101 - RDF requires it
    return term


# -- connectivity ------------------------------------------------------------------------------------------------------


def _closure_slots(evidence: Evidence) -> Iterator[Slot]:
    """What all nodes that are connected with one node have, along the predicates that connect them."""
    for class_, predicate in _connected(evidence):
        step = Predicate(predicate)
        for last, node in _anchors(class_, evidence):
            if last is not None:
                via = Sequence_((_reversed(last), Repeat(step, "*")))
                yield Slot(Focus(node, via=via), step)
                yield Slot(Focus(node, via=via), Inverse(step))


def _reversed(step: Path) -> Path:
    return step.path if isinstance(step, Inverse) else Inverse(step)


def _connected(evidence: Evidence) -> list[tuple[NamedNode, NamedNode]]:
    """Classes whose instances a predicate connects, where failing cases change that."""
    pairs: dict[tuple[NamedNode, NamedNode], None] = {}
    for number, case in enumerate(evidence.cases):
        if case.failed:
            graph = evidence.graphs[number]
            for triple in (*case.change.removed, *case.change.added):
                start, end = ends_of(triple)
                others = set(classes_of(end, graph, case.seed))
                for class_ in classes_of(start, graph, case.seed):
                    if class_ in others and triple.predicate not in _SCHEMA:
                        pairs[class_, triple.predicate] = None
    return list(pairs)


def reach_slots(evidence: Evidence) -> list[tuple[Slot, HasValue]]:
    """Slots and values for "each instance of this class is connected with this node", where failing cases touch it."""
    reached: dict[tuple[Slot, HasValue], None] = {}
    for class_, predicate in _connected(evidence):
        focus = Focus(class_, is_class=True)
        step = Predicate(predicate)
        for way in (step, Inverse(step), Alternative((step, Inverse(step)))):
            repeated = Repeat(way, "*")
            for last, node in _anchors(class_, evidence):
                reached[Slot(focus, repeated if last is None else Sequence_((repeated, last))), HasValue(node)] = None
    return list(reached)


def _anchors(class_: NamedNode, evidence: Evidence) -> list[tuple[Path | None, NamedNode]]:
    """Nodes of the seeds that one step leads to from an instance of the class, with the step; and instances."""
    anchors: dict[tuple[Path | None, NamedNode], None] = {}
    for seed in evidence.seeds:
        members = list(islice(seed.subjects(seed.table.is_a, seed.key(class_)), _MOST_MEMBERS))
        inside = {seed.term(key) for key in members}
        for key in members[: _MOST_ANCHORS * 5]:
            for predicate, subject in _to(key, seed):
                if isinstance(subject, NamedNode) and subject not in inside:
                    anchors[Inverse(Predicate(predicate)), subject] = None
            for predicate, object_ in _from(key, seed):
                if isinstance(object_, NamedNode) and object_ not in inside and predicate not in _SCHEMA:
                    anchors[Predicate(predicate), object_] = None
        for node in map(seed.term, members[:_MOST_ANCHORS]):
            if isinstance(node, NamedNode):
                anchors[None, node] = None
    return list(anchors)[:_MOST_ANCHORS]
