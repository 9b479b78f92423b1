"""A graph as axioms: groups of triples that belong together, kept in step with the graph's changes.

Nothing is read before it is asked for, and what was read is kept. After a change, only clusters of triples that the
change touches are read again, and those that mention a name that is now of another kind. So the price of a change is
that of what hangs together with it, however large the graph is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from kgprobe.graph.axioms.axiom_groups import Axiom, axiom_groups
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import collection_paused
from kgprobe.graph.terms import Term, Triple
from kgprobe.ontology.clusters import Clusters
from kgprobe.ontology.name_kinds import KindChange, NameKinds, dependents

__all__ = ["Axiom", "AxiomChange", "AxiomView"]


@dataclass(frozen=True, slots=True)
class AxiomChange:
    """The axioms that a change of a graph took away, and those that it brought."""

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
        """All axioms, in the order of their first triples: as loaded, and then those added since in order of text."""
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
        """Bring the view to the present state of the graph it was made for, or of a copy of that.

        `delta` is what was applied or reverted since, if the caller knows: without it, all changes that the graph has
        are compared. Nothing outside of it may have changed.
        """
        if graph.table is not self._graph.table:
            raise ValueError("a view can follow only the graph that it was made for, and copies of it")
        changed = self._differing(graph, delta)
        if not changed:
            return AxiomChange((), ())
        self._clusters.note(changed)
        kinds = self._kinds.difference(graph, changed)
        before, after = self._touched(graph, [*changed, *self._dependents(graph, kinds)])
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

    def _dependents(self, graph: Graph, change: KindChange) -> Iterator[KeyTriple]:
        """The triples in either state of the graph that depend on a kind that has changed."""
        for name, before in change.before.items():
            for state in (self._graph, graph):
                yield from dependents(state, name, before, change.kinds[name])

    def _touched(self, graph: Graph, start: Iterable[KeyTriple]) -> tuple[dict[KeyTriple, None], dict[KeyTriple, None]]:
        """All triples of clusters that have one of these, in the state of the view and in that of the graph.

        A change can join clusters and divide them, so each triple found in one state is looked up in the other.
        """
        before: dict[KeyTriple, None] = {}
        after: dict[KeyTriple, None] = {}
        pending = list(start)
        while pending:
            keys = pending.pop()
            for state, found in ((self._graph, before), (graph, after)):
                if keys not in found and state.has(*keys):
                    cluster = self._clusters.around(state, keys)
                    found.update(cluster)
                    pending += cluster
        return before, after

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
