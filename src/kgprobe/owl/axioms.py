"""A graph as axioms: groups of triples that belong together, kept in step with the graph's changes.

Axioms are read on demand, and kept. After a change, the view reads only the clusters of triples that the change
touches, or that mention a name whose kind it changes. So a change costs O(the clusters that it touches), regardless of
the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from kgprobe.owl.axiom_groups import Axiom, axiom_groups
from kgprobe.owl.name_kinds import KindChange, NameKinds, dependents
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple, collection_paused
from kgprobe.rdf.terms import OWL, BlankNode, Term, Triple, blank_nodes

__all__ = ["Axiom", "AxiomChange", "AxiomView", "Clusters", "read_again"]


@dataclass(frozen=True, slots=True)
class AxiomChange:
    """The axioms that a change of a graph removed, and those that it added."""

    gone: tuple[Axiom, ...]
    come: tuple[Axiom, ...]


class AxiomView:
    """The axioms of a graph. Each triple belongs to exactly one of them.

    The view shows the graph as it was when the view was made or last called to `follow`.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph.copy()
        self._kinds = NameKinds(self._graph)
        self._clusters = Clusters(self._graph)
        self._known: dict[KeyTriple, Axiom] = {}
        self._is_complete = False

    def __iter__(self) -> Iterator[Axiom]:
        """All axioms, in the order of their first triples: as loaded, then those added since in order of text."""
        self._complete()
        changes = self._graph.changed_keys
        loaded: Iterator[KeyTriple] = iter(self._graph.table)
        kept = (keys for keys in loaded if keys not in changes) if changes else loaded
        added = sorted((keys for keys, is_added in changes.items() if is_added), key=self._text)
        return self._distinct(chain(kept, added))

    def axiom_of(self, triple: Triple) -> Axiom:
        """The axiom that a triple of the graph belongs to."""
        keys = self._graph.keys(triple)
        if not self._graph.has(*keys):
            raise KeyError(triple)
        return self._axiom(keys)

    def mentioning(self, term: Term) -> Iterator[Axiom]:
        """The axioms with a triple that has this term, each once."""
        key = self._graph.key(term)
        rows = [list(self._graph.rows(*(key if i == place else None for i in range(3)))) for place in range(3)]
        return self._distinct(chain.from_iterable(rows))

    def follow(self, graph: Graph, delta: Delta | None = None) -> AxiomChange:
        """Update the view to the current state of its graph, or of a copy of it.

        `delta` is the change applied or reverted since, if the caller knows it; nothing else may have changed.
        Without it, all changes of the graph are compared.
        """
        if graph.table is not self._graph.table:
            raise ValueError("a view can follow only the graph that it was made for, and copies of it")
        changed = self._differing(graph, delta)
        if not changed:
            return AxiomChange((), ())
        kinds, before, after = read_again(self._graph, graph, changed, self._kinds, self._clusters)
        gone = dict.fromkeys(self._axiom(keys) for keys in before)
        for keys in before:
            self._known.pop(keys, None)
        for keys in changed:
            self._graph.flip(keys)
        self._kinds.follow(kinds)
        come = dict.fromkeys(self._axiom(keys) for keys in after)
        return AxiomChange(
            tuple(axiom for axiom in gone if axiom not in come), tuple(axiom for axiom in come if axiom not in gone)
        )

    def _differing(self, graph: Graph, delta: Delta | None) -> list[KeyTriple]:
        if delta is not None:
            touched = map(graph.keys, chain(delta.removed, delta.added))
            return [keys for keys in touched if self._graph.has(*keys) != graph.has(*keys)]
        mine, wanted = self._graph.changed_keys, graph.changed_keys
        return [keys for keys in mine if keys not in wanted] + [keys for keys in wanted if keys not in mine]

    def _text(self, keys: KeyTriple) -> str:
        return str(self._graph.triple(keys))

    def _axiom(self, keys: KeyTriple) -> Axiom:
        if keys not in self._known:
            cluster = self._clusters.around(self._graph, keys)
            self._keep(axiom_groups(map(self._graph.triple, cluster), self._kinds))
        return self._known[keys]

    def _complete(self) -> None:
        if not self._is_complete:
            with collection_paused():
                self._keep(axiom_groups(self._graph))
            self._is_complete = True

    def _keep(self, axioms: Iterable[Axiom]) -> None:
        get = self._graph.table.numbers.get
        for axiom in axioms:
            for triple in axiom.triples:
                s, p, o = triple.subject, triple.predicate, triple.object
                self._known[get(s, s), get(p, p), get(o, o)] = axiom  # type: ignore[arg-type]

    def _distinct(self, rows: Iterable[KeyTriple]) -> Iterator[Axiom]:
        seen: set[int] = set()
        for keys in rows:
            axiom = self._axiom(keys)
            if id(axiom) not in seen:  # all triples of an axiom lead to one object
                seen.add(id(axiom))
                yield axiom


# -- clusters: triples that must be read together ----------------------------------------------------------------------
# Those that share blank nodes, and a triple with its annotations. A cluster is closed: no triple outside of it has one
# of its blank nodes. So its axioms can be read without the rest of the graph, apart from the kinds of its names.

ANNOTATED = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
"""The predicates of the node that annotates a triple: to its subject, predicate and object."""


class Clusters:
    """Finds the clusters of a graph, and of later states of it."""

    def __init__(self, graph: Graph) -> None:
        # RDF 1.2: a triple can be an object, and no index of a graph leads from a blank node inside it to it.
        self._quoting: dict[BlankNode, dict[Triple, None]] = {}
        self._note_quoted(graph.table.terms)
        self.note(graph.changed_keys)

    def note(self, changed: Iterable[KeyTriple]) -> None:
        """Call this with triples that are new, before asking for clusters of a graph that has them."""
        self._note_quoted(keys[2] for keys in changed)

    def around(self, graph: Graph, start: KeyTriple) -> dict[KeyTriple, None]:
        """The cluster of a triple, which the graph has."""
        seen: set[BlankNode] = set()
        annotated = graph.count(None, graph.key(ANNOTATED[0]), None) > 0

        def neighbours(keys: KeyTriple) -> Iterator[KeyTriple]:
            for node in _blank_nodes(graph, keys):
                if node not in seen:
                    seen.add(node)
                    yield from self._of_node(graph, node, annotated)
            if annotated:
                yield from _annotations(graph, keys)

        return reached([start], neighbours)

    def numbered(self, graph: Graph) -> dict[KeyTriple, int]:
        """For each triple of the graph, the number of its cluster."""
        found: dict[KeyTriple, int] = {}
        annotated = graph.count(None, graph.key(ANNOTATED[0]), None) > 0
        for keys in graph.rows():
            if keys in found:
                continue
            if annotated or any(True for _ in _blank_nodes(graph, keys)):
                found.update(dict.fromkeys(self.around(graph, keys), len(found)))
            else:  # most triples are alone
                found[keys] = len(found)
        return found

    def touched(
        self, before: Graph, after: Graph, start: Iterable[KeyTriple]
    ) -> tuple[dict[KeyTriple, None], dict[KeyTriple, None]]:
        """All triples of clusters that have one of these, in each of two states of a graph.

        A change can join clusters and divide them, so each triple found in one state is looked up in the other.
        """
        states: tuple[tuple[Graph, dict[KeyTriple, None]], ...] = ((before, {}), (after, {}))
        pending = list(start)
        while pending:
            keys = pending.pop()
            for state, found in states:
                if keys not in found and state.has(*keys):
                    cluster = self.around(state, keys)
                    found.update(cluster)
                    pending += cluster
        return states[0][1], states[1][1]

    def _of_node(self, graph: Graph, node: BlankNode, annotated: bool) -> Iterator[KeyTriple]:
        key = graph.key(node)
        yield from graph.rows(key)
        yield from graph.rows(None, None, key)
        for quoting in self._quoting.get(node, ()):
            yield from graph.rows(None, None, graph.key(quoting))  # type: ignore[arg-type]
        if annotated:
            keys = _annotated_by(graph, key)
            if keys is not None and graph.has(*keys):
                yield keys

    def _note_quoted(self, terms: Iterable[object]) -> None:
        for term in terms:
            if type(term) is Triple:
                for node in blank_nodes(term):
                    self._quoting.setdefault(node, {})[term] = None


def read_again(
    before: Graph, after: Graph, changed: Iterable[KeyTriple], kinds: NameKinds, clusters: Clusters
) -> tuple[KindChange, dict[KeyTriple, None], dict[KeyTriple, None]]:
    """What a change does to the kinds of names, and the triples of each state whose axioms it may change.

    They are in clusters that the change touches, or mention a name whose kind it changes. `kinds` and `clusters` are
    those of the state before the change.
    """
    clusters.note(changed)
    change = kinds.difference(after, changed)
    dependent = (
        keys
        for name, former in change.before.items()
        for state in (before, after)
        for keys in dependents(state, name, former, change.kinds[name])
    )
    return change, *clusters.touched(before, after, [*changed, *dependent])


def _annotated_by(graph: Graph, node: Key) -> KeyTriple | None:
    """The triple that a node annotates, which the graph may lack; None if the node names none or several."""
    parts = [graph.objects(node, graph.key(predicate)) for predicate in ANNOTATED]
    return (parts[0][0], parts[1][0], parts[2][0]) if all(len(part) == 1 for part in parts) else None


def _annotations(graph: Graph, keys: KeyTriple) -> Iterator[KeyTriple]:
    """One triple of each node that annotates the triple with these keys."""
    source, _, target = (graph.key(predicate) for predicate in ANNOTATED)
    few = min(((source, keys[0]), (target, keys[2])), key=lambda pair: graph.count(None, *pair))
    for node in graph.subjects(*few):
        if type(graph.term(node)) is BlankNode and _annotated_by(graph, node) == keys:
            yield node, source, keys[0]


def _blank_nodes(graph: Graph, keys: KeyTriple) -> Iterator[BlankNode]:
    yield from blank_nodes(graph.term(keys[0]))
    yield from blank_nodes(graph.term(keys[2]))
