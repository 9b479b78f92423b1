"""The inferred hierarchy of named classes: the stated one if it is complete, otherwise that of a reasoner.

And the conclusions from it (the regime of OWL 2 DL), and how they change with the graph. In addition to the stated
triples, these follow: rdfs:subClassOf from each named class to every other class above it, owl:equivalentClass between
two classes that are above each other, and rdf:type from an individual to all classes above its stated named classes. An
unsatisfiable class is below owl:Nothing and equivalent to it. Two kinds of triples are left out: that such a class is
below every other class, and that every class is below owl:Thing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from kgprobe.entailment.closure import Closures, Difference, with_changes, with_triples
from kgprobe.entailment.rules import UndecidedError
from kgprobe.entailment.stated_hierarchy import ClassNodes, stated_hierarchy
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached, walk, way
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, Term, Triple

if TYPE_CHECKING:
    from kgprobe.reasoners.ontology import Ontology
    from kgprobe.reasoners.protocol import Answer, Availability, Hierarchy, Reasoner

__all__ = ["ClassEdges", "class_edges", "readable_ontology", "share_class_edges"]

_SECOND = "hermit"
"""The fallback if no reasoner was chosen and `auto` gives no reliable answer, and the advice if another was."""
_ABOUT_TRIPLES = frozenset({RDF.subject, RDF.predicate, RDF.object})
_MOST_REMEMBERED = 5_000_000
_MOST_EDGES, _MOST_PAIRS = 20_000, 200_000  # limits for building the whole closure
_NONE: frozenset[Key] = frozenset()


@dataclass(frozen=True, eq=False)
class ClassEdges:
    """Edges from classes to classes above them. Paths lead to all ancestors; equivalent classes form a cycle.

    owl:Thing and owl:Nothing do not count as classes here. Unsatisfiable classes are listed in `unsatisfiable`; edges
    from a reasoner do not start or end at them.
    """

    nodes: ClassNodes
    unsatisfiable: frozenset[Term]
    how: str

    @property
    def edges(self) -> list[tuple[Term, Term]]:
        """The edges, by the classes at their ends."""
        return self.nodes.edges()

    @property
    def classes(self) -> list[Term]:
        """All classes, each once."""
        return self.nodes.classes


def class_edges(graph: Graph, reasoner: Reasoner | None = None) -> ClassEdges:
    """The hierarchy of the named classes of a graph.

    The given reasoner stays open. Without one, this asks `auto`, then HermiT if `auto` is not sure and HermiT is
    installed, and closes them afterwards. Raises UndecidedError if neither gives a reliable answer.

    The graph caches the answer until it changes.
    """
    return graph.cached(_Edges(reasoner))


def share_class_edges(known: Graph, graph: Graph, reasoner: Reasoner | None = None) -> None:
    """Copy the cached hierarchy to another graph with the same triples, up to blank node labels."""
    graph.remember(_Edges(reasoner), class_edges(known, reasoner))


@dataclass(frozen=True)
class _Edges:
    """Finds the hierarchy; for `Graph.cached`, which keeps it for each reasoner."""

    reasoner: Reasoner | None

    def __call__(self, graph: Graph) -> ClassEdges:
        stated = graph.cached(stated_hierarchy)
        if stated.complete:
            how = f"the stated hierarchy, which is complete: {stated.why}"
            return ClassEdges(stated.nodes, frozenset(), how)
        # Reasoners are imported only if needed: a complete stated hierarchy needs none.
        from kgprobe.reasoners.protocol import Hierarchy

        answer = _answer(readable_ontology(graph), self.reasoner)
        if not isinstance(answer.value, Hierarchy):  # decided answers always are
            raise TypeError(f"a classification is not a {type(answer.value).__name__}")
        return _from_hierarchy(answer.value, f"classified by {answer.reasoner}, since {stated.why}")


def readable_ontology(graph: Graph) -> Ontology:
    """The axioms of a graph, including older and looser spellings. Raises UndecidedError if it cannot read a triple.

    A reasoner would ignore that triple and might miss conclusions.
    """
    from kgprobe.reasoners.ontology import Ontology

    found = Ontology.of(graph)
    if not found.leftovers:
        return found
    _refuse_what_cannot_be_read(graph)
    return replace(found, leftovers=0)


def _refuse_what_cannot_be_read(graph: Graph) -> None:
    from kgprobe.owl.axiom_groups import axiom_groups
    from kgprobe.owl.name_kinds import NameKinds
    from kgprobe.owl.unusual_axioms import statements_within

    kinds = NameKinds(graph)
    for group in axiom_groups(graph):
        if group.expression is not None or None not in statements_within(group.triples, kinds):
            continue
        if not all(map(_is_about_triple, group.triples)):
            first = graph.spelling.triple(group.triples[0])
            raise UndecidedError(
                f"the class hierarchy is uncertain, since this is not an axiom of OWL 2: {first}",
                hint="correct it",
            )


def _is_about_triple(triple: Triple) -> bool:
    return triple.predicate in _ABOUT_TRIPLES


def _answer(ontology: Ontology, reasoner: Reasoner | None) -> Answer:
    from kgprobe.reasoners.protocol import Classification

    if reasoner is not None:
        [answer] = reasoner.answer(ontology, [Classification()])
        return _sure(answer)
    from kgprobe.reasoners.auto import opened

    with opened("auto") as first:
        [answer] = first.answer(ontology, [Classification()])
    if answer.decided or not _second_status().usable:
        return _sure(answer)
    with opened(_SECOND) as second:
        [answer] = second.answer(ontology, [Classification()])
    return _sure(answer)


def _second_status() -> Availability:
    from kgprobe.reasoners.catalogue import REASONERS

    return REASONERS[_SECOND].available()


def _sure(answer: Answer) -> Answer:
    if answer.decided:
        return answer
    hint = None
    if answer.reasoner != _SECOND:
        status = _second_status()
        install = "" if status.usable else f", which is not installed ({status.install})"
        hint = f"choose the reasoner {_SECOND}{install}"
    why = f": {answer.why}" if answer.why else ""
    raise UndecidedError(f"{answer.reasoner} is not sure of the class hierarchy{why}", hint=hint)


def _from_hierarchy(found: Hierarchy, how: str) -> ClassEdges:
    edges: list[tuple[Term, Term]] = []
    classes: list[Term] = []
    for name, members in sorted(found.groups.items(), key=lambda group: group[0].value):
        in_order = sorted(members, key=lambda member: member.value)
        classes += in_order
        if len(in_order) > 1:
            edges += pairwise([*in_order, in_order[0]])
        edges += ((name, above) for above in sorted(found.parents.get(name, ()), key=lambda class_: class_.value))
    empty = sorted(found.unsatisfiable, key=lambda class_: class_.value)
    return ClassEdges(ClassNodes.of([*classes, *empty], edges), frozenset(empty), how)


# -- conclusions -------------------------------------------------------------------------------------------------------


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
    """Finds the hierarchy of a graph; for `Graph.cached`, which keeps it for each reasoner."""

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
