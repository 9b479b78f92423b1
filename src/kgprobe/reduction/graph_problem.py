"""Graphs as candidates of a reduction: which ones are admissible, how to recognise equal ones, and how to make them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from kgprobe.masks.mask import Cost, Mask
from kgprobe.rdf.canonical import Component, Fingerprints, component_fingerprint
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.rdfc import TooSymmetricError
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import Term, Triple
from kgprobe.reduction.problem import Better, Effort, Problem, Steps, StillFails
from kgprobe.wording import number_of

__all__ = ["GraphProblem", "Pair", "Trail", "exactly", "of_component", "with_more", "with_only", "without"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two graphs that answers are compared for: one, and what changes have made of it."""

    before: Graph
    after: Graph


class GraphProblem(Problem[Graph]):
    """A graph that fails, and the test for that.

    `stays` are triples of the graph that every smaller one must have, and `mask` decides which graphs are admissible.
    `trail` follows the changes that made the mutant, as the graph is simplified.

    If the failure is a difference, each graph is one of a pair, and `changes` made it of the other one: the triples
    that they removed are in the other graph only, those that they added in this graph only, and all others in both.
    """

    def __init__(
        self,
        graph: Graph,
        still_fails: StillFails[Graph],
        *,
        mask: Mask | None = None,
        stays: Iterable[Triple] = (),
        effort: Effort | None = None,
        changes: Delta | None = None,
    ) -> None:
        self.stays = frozenset(stays)
        self.trail = Trail(Delta())
        self.mask = mask or Mask()
        self.changes = changes
        self._all_changes = changes
        self._table = graph.table
        self._stay_keys = frozenset(map(graph.keys, self.stays))
        self._fingerprint = Fingerprints(of_component).of
        super().__init__(
            graph,
            still_fails,
            size=self._triples_in,
            digest=self._digest_of,
            admits=self._is_admissible,
            effort=effort,
            name=f"this graph of {number_of(len(graph), 'triple')}",
        )
        # The software need not handle a graph outside the mask, so a difference from one would prove nothing.
        self._bounds_both = changes is not None and self.mask.admits(self.before(graph)) is True

    def before(self, graph: Graph) -> Graph:
        """The other graph of the pair."""
        changes = self.changes or Delta()
        return with_more(without(graph, (triple for triple in changes.added if triple in graph)), changes.removed)

    def pair(self, graph: Graph) -> Pair:
        """Both graphs."""
        return Pair(self.before(graph), graph)

    def compare(self, graph: Graph, changes: Delta) -> Steps[Graph, None]:
        """From now on, other graphs are made by these changes only. The pair with this graph is known to fail."""
        self.changes = changes
        self.best = graph
        yield self.better(graph)

    def better(self, candidate: Graph) -> Better[Graph]:
        """The event for a new best graph, with the other graph of the pair."""
        return Better(candidate, None if self.changes is None else self.before(candidate))

    def start_over(self) -> Steps[Graph, None]:
        """Start from the whole graph again, and from all changes."""
        self.changes = self._all_changes
        yield from super().start_over()

    def _triples_in(self, graph: Graph) -> int:
        removed = () if self.changes is None else self.changes.removed
        return len(graph) + sum(1 for triple in removed if triple not in graph)

    def _digest_of(self, graph: Graph) -> Hashable:
        digest = self._fingerprint(graph)
        return digest if self.changes is None else (self._fingerprint(self.before(graph)), digest)

    def objections(self, graph: Graph) -> frozenset[Term]:
        """The nodes of a graph that the mask objects to; none if it does not object to any node in particular."""
        for check in self.mask.checks:
            if check.cost is not Cost.REASONING and not check.admits(graph):
                return frozenset(rejection.node for rejection in check.rejections(graph) if rejection.node is not None)
        return frozenset()

    def _is_admissible(self, graph: Graph) -> bool:
        if not self._keeps_what_stays(graph) or not self.mask.admits(graph):
            return False
        return not self._bounds_both or self.mask.admits(self.before(graph)) is True

    def _keeps_what_stays(self, graph: Graph) -> bool:
        if graph.table is not self._table:
            return all(triple in graph for triple in self.stays)
        return not any(keys in self._stay_keys and not graph.has(*keys) for keys in graph.changed_keys)


# -- parts of a graph, at a cost in proportion to the smaller part -----------------------------------------------------


def exactly(triples: Iterable[Triple], spelling: Spelling) -> Graph:
    """A graph of these triples with its own table. Blank nodes keep their labels, even if these look random."""
    builder = TableBuilder()
    builder.extend(chain.from_iterable((triple.subject, triple.predicate, triple.object) for triple in triples))  # type: ignore[misc]
    return Graph.from_table(builder.build(random_labels=False), spelling)


def without(graph: Graph, removed: Iterable[Triple]) -> Graph:
    """The graph without these triples. It must have them."""
    smaller = graph.copy()
    smaller.change(map(graph.keys, dict.fromkeys(removed)), ())
    return smaller


def with_more(graph: Graph, added: Iterable[Triple]) -> Graph:
    """The graph with these triples as well."""
    larger = graph.copy()
    for triple in added:
        larger.add(triple)
    return larger


def with_only(graph: Graph, kept: Collection[Triple]) -> Graph:
    """The graph with only these triples, in the same order."""
    chosen = kept if isinstance(kept, (set, frozenset)) else set(kept)
    if 2 * len(chosen) < len(graph):  # a new table costs less than a record of all removed triples
        return exactly((triple for triple in graph if triple in chosen), graph.spelling)
    return without(graph, (triple for triple in graph if triple not in chosen))


def of_component(component: Component) -> str:
    """The fingerprint of a component, or its text if that would take too long."""
    try:
        return component_fingerprint(component)
    except TooSymmetricError:  # at worst, the same graph runs again with other labels
        return "\n".join(sorted(map(str, component)))


# -- the changes that a mutant was made with ---------------------------------------------------------------------------


class Trail:
    """Follows changed triples while names, literals and expressions of the graph are replaced."""

    def __init__(self, delta: Delta) -> None:
        self.delta = delta
        self._now = {triple: frozenset({triple}) for triple in delta.removed + delta.added}

    def now(self, triple: Triple) -> frozenset[Triple]:
        """The triples that now stand for a changed triple."""
        return self._now[triple]

    def is_in(self, graph: Graph, triple: Triple) -> bool:
        """Whether the graph still has any triple that stands for a changed triple."""
        return any(form in graph for form in self._now[triple])

    def replace(self, replaced: Callable[[Triple], Triple]) -> None:
        """Record that each triple was replaced by another one."""
        self._now = {triple: frozenset(map(replaced, now)) for triple, now in self._now.items()}

    def restate(self, before: Graph, after: Graph) -> None:
        """Record that a statement was replaced: its new triples stand for the removed ones."""
        gone = frozenset(triple for triple in before if triple not in after)
        come = frozenset(triple for triple in after if triple not in before)
        if come:
            self._now = {
                triple: (now - gone) | come if now & gone and triple in self._added else now
                for triple, now in self._now.items()
            }

    @cached_property
    def _added(self) -> frozenset[Triple]:
        return frozenset(self.delta.added)
