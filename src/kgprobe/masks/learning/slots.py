"""The places where failing cases differ from their seed graph: from there, conditions are made."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kgprobe.masks.learning.conditions import Focus, HasValue
from kgprobe.masks.learning.observations import Evidence, Slot, ends_of
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, Literal, NamedNode, Term, Triple

__all__ = ["reach_slots", "slots"]

# Limits for nodes with many neighbours, such as classes: each neighbour would add conditions.
_MOST_NEIGHBOURS = 10
_MOST_PATHS = 8
_MOST_CLASSES = 8
_MOST_ANCHORS = 20
_MOST_MEMBERS = 2_000
_SCHEMA = (RDF.type, RDFS.subClassOf)


def slots(evidence: Evidence) -> list[Slot]:
    """The slots that changes of failing cases touch, each once, in a fixed order."""
    found: dict[Slot, None] = {}
    for number, case in enumerate(evidence.cases):
        if case.failed:
            graph = evidence.graphs[number]
            for triple in (*case.change.removed, *case.change.added):
                found |= dict.fromkeys(_slots_of(triple, graph, case.seed))
    found |= dict.fromkeys(_closure_slots(evidence))
    in_a_seed: dict[NamedNode, bool] = {}
    for slot in found:
        term = slot.focus.term
        if term not in in_a_seed:
            in_a_seed[term] = slot.focus.is_class or evidence.is_in_a_seed(term)
    return [slot for slot in found if in_a_seed[slot.focus.term]]


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
        example = next((seed.term(each) for each in seed.subjects(seed.table.is_a, seed.key(o))), None)
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
    found: dict[Term, None] = {}
    for graph in graphs:
        is_a, above = graph.table.is_a, graph.key(RDFS.subClassOf)
        level = dict.fromkeys(graph.objects(graph.key(term), is_a))
        seen: dict[Key, None] = {}
        while level and len(seen) < _MOST_CLASSES:
            seen |= level
            level = {up: None for each in level for up in graph.objects(each, above) if up not in seen}
        found |= dict.fromkeys(map(graph.term, seen))
    return [each for each in found if isinstance(each, NamedNode)][:_MOST_CLASSES]


def _neighbours(term: Term, *graphs: Graph) -> Iterator[tuple[Path, NamedNode]]:
    """Nodes that a step leads from to this one, with the step."""
    found: dict[tuple[Path, NamedNode], None] = {}
    for graph in graphs:
        key = graph.key(term)
        for s, p, _ in islice(graph.rows(None, None, key), _MOST_NEIGHBOURS):
            predicate, subject = graph.term(p), graph.term(s)
            if isinstance(predicate, NamedNode) and isinstance(subject, NamedNode) and predicate not in _SCHEMA:
                found[Predicate(predicate), subject] = None
        for _, p, o in islice(graph.rows(key), _MOST_NEIGHBOURS):
            predicate, object_ = graph.term(p), graph.term(o)
            if isinstance(predicate, NamedNode) and isinstance(object_, NamedNode) and predicate not in _SCHEMA:
                found[Inverse(Predicate(predicate)), object_] = None
    yield from found


def _paths_from(term: Term, graph: Graph) -> list[Path]:
    """The paths of one step that lead from this node somewhere."""
    key = graph.key(term)
    found: dict[Path, None] = {}
    for _, p, _ in islice(graph.rows(key), _MOST_NEIGHBOURS):
        predicate = graph.term(p)
        if isinstance(predicate, NamedNode) and predicate not in _SCHEMA:
            found[Predicate(predicate)] = None
    for _, p, _ in islice(graph.rows(None, None, key), _MOST_NEIGHBOURS):
        predicate = graph.term(p)
        if isinstance(predicate, NamedNode) and predicate not in _SCHEMA:
            found[Inverse(Predicate(predicate))] = None
    return list(found)[:_MOST_PATHS]


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
    found: dict[tuple[Slot, HasValue], None] = {}
    for class_, predicate in _connected(evidence):
        focus = Focus(class_, is_class=True)
        step = Predicate(predicate)
        for way in (step, Inverse(step), Alternative((step, Inverse(step)))):
            repeated = Repeat(way, "*")
            for last, node in _anchors(class_, evidence):
                found[Slot(focus, repeated if last is None else Sequence_((repeated, last))), HasValue(node)] = None
    return list(found)


def _anchors(class_: NamedNode, evidence: Evidence) -> list[tuple[Path | None, NamedNode]]:
    """Nodes of the seeds that one step leads to from an instance of the class, with the step; and instances."""
    found: dict[tuple[Path | None, NamedNode], None] = {}
    for seed in evidence.seeds:
        members = list(islice(seed.subjects(seed.table.is_a, seed.key(class_)), _MOST_MEMBERS))
        inside = set(members)
        for key in members[: _MOST_ANCHORS * 5]:
            for s, p, _ in islice(seed.rows(None, None, key), _MOST_NEIGHBOURS):
                node, predicate = seed.term(s), seed.term(p)
                if s not in inside and isinstance(node, NamedNode) and isinstance(predicate, NamedNode):
                    found[Inverse(Predicate(predicate)), node] = None
            for _, p, o in islice(seed.rows(key), _MOST_NEIGHBOURS):
                node, predicate = seed.term(o), seed.term(p)
                if predicate in _SCHEMA or o in inside:
                    continue
                if isinstance(node, NamedNode) and isinstance(predicate, NamedNode):
                    found[Predicate(predicate), node] = None
        for key in members[:_MOST_ANCHORS]:
            node = seed.term(key)
            if isinstance(node, NamedNode):
                found[None, node] = None
    return list(found)[:_MOST_ANCHORS]
