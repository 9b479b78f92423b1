"""The paper's algorithm, SelectTests, and its entry points: plans, the three sets, and entity coverage."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.class_hierarchy import ClassEdges, class_edges
from kgprobe.owl.wording import Names
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import Condensed, Edges, reached
from kgprobe.rdf.table import collection_paused
from kgprobe.rdf.terms import Term
from kgprobe.selection.order import Urgency
from kgprobe.selection.paper.expressions import Entity, ShortNames, edges_by_name, in_order, short_names
from kgprobe.selection.paper.model import NOTHING, THING, OntologyGraph, Row, matrix, ontology_graph
from kgprobe.selection.plan import PlannedTest, Reason, SelectionPlan, broken_reasons, unseen_reasons
from kgprobe.selection.tests import Suite, Test

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["EntityCoverage", "PaperSelector", "covered_entities", "named_sets", "paper_plan"]

_Numbers: TypeAlias = NDArray[np.int64]
_Marks: TypeAlias = list[Sequence[int]]  # for each bit, the nodes at which it is set
_BLOCK = 8192
_NamedSets: TypeAlias = dict[str, list[list[str | None]]]


@dataclass(frozen=True)
class Sets:
    """The paper's three sets: entities that only the new version has, that only the old one has, and affected ones."""

    add: frozenset[Entity]
    delete: frozenset[Entity]
    affect: frozenset[Entity]


@dataclass(frozen=True)
class Selected:
    """A test to run again, and the affected entities that it uses; none if its uses are unknown."""

    test: Test
    because: tuple[Entity, ...]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The classes of both versions and of one version only, by their numbers, and the subclass edges of each version.

    In addition to the edges of a classification, there are those that hold by definition. If either version has an
    edge with owl:Thing, all classes are below it in both; else it is not a node. If either version has an edge with
    owl:Nothing, it is below all classes in both, so that an unsatisfiable class is below all classes, too.
    """

    common: dict[int, Term]
    added: dict[int, Term]
    deleted: dict[int, Term]
    old_edges: _Numbers
    new_edges: _Numbers
    nodes: int


def align(old: OntologyGraph, new: OntologyGraph) -> Alignment:
    """Match the classes of two versions by their IRIs."""
    numbers = dict(old.numbers)
    renumbered = np.fromiter((numbers.setdefault(term, len(numbers)) for term in new.numbers), dtype=np.int64)
    in_new = np.zeros(len(numbers), dtype=bool)
    in_new[renumbered] = True
    common: dict[int, Term] = {}
    added: dict[int, Term] = {}
    deleted: dict[int, Term] = {}
    for (term, number), is_in_new in zip(numbers.items(), in_new.tolist(), strict=True):
        (added if number >= len(old.numbers) else common if is_in_new else deleted)[number] = term
    has_thing, has_nothing = (
        any((graph.subclass_edges == number).any() for graph in (old, new)) for number in (THING, NOTHING)
    )
    return Alignment(
        common,
        added,
        deleted,
        old_edges=old.hierarchy(has_thing=has_thing, has_nothing=has_nothing),
        new_edges=renumbered[new.hierarchy(has_thing=has_thing, has_nothing=has_nothing)],
        nodes=len(numbers),
    )


def affected(old: OntologyGraph, new: OntologyGraph) -> Sets:
    """Phases 1 and 2 (lines 1 to 20): nodes are matched by their IRIs.

    The property edges need no walk over the nodes. If the source of an edge is in both versions, lines 13 to 15 compare
    its edges. If not, the version without it has no such edge, and lines 17, 18 and 20 take all of them. Either way it
    is the difference of the two sets of edges.
    """
    with collection_paused():
        both = align(old, new)
        changed = with_other_descendants(both.old_edges, both.new_edges, both.nodes)
        gone = old.property_edges - new.property_edges
        deleted = frozenset(map(Entity, both.deleted.values()))
        return Sets(
            add=(new.property_edges - old.property_edges).union(map(Entity, both.added.values())),
            delete=gone | deleted,
            affect=(gone | deleted).union(
                Entity(both.common[number]) for number in changed & both.common.keys() - {NOTHING}
            ),
        )


def as_json(sets: Sets, names: ShortNames) -> dict[str, list[list[str | None]]]:
    """The sets for JSON: lists of a source, a target or None, and a label or None, with short names in labels."""
    named = {"add": sets.add, "delete": sets.delete, "affect": sets.affect}
    return {name: [names.row(entity) for entity in sorted(entities, key=in_order)] for name, entities in named.items()}


def select(affect: frozenset[Entity], rows: Iterable[Row]) -> list[Selected]:
    """Phase 3 (lines 21 to 23). Beyond the paper, it also selects every test whose uses are not all known."""
    by_name = {name: tuple(edges) for name, edges in edges_by_name(sorted(affect, key=in_order)).items()}
    selected = []
    for row in rows:
        named = tuple(sorted(row.entities & affect, key=in_order))
        standing = (by_name.get(name, ()) for name in sorted(row.properties))
        reasons = [entities for entities in (named, *standing) if entities]
        if reasons or row.test.unseen:
            because = reasons[0] if len(reasons) == 1 else tuple(dict.fromkeys(chain.from_iterable(reasons)))
            selected.append(Selected(row.test, because))
    return selected


# Which nodes have other descendants in the new version?
#
# Claim. Let D(n) be the nodes other than n from which a chain of edges leads up to n, and A(s) the nodes other than s
# to which a chain leads from s. Call the lower ends of edges that only one version has changed. Then D(n) differs
# between the versions if and only if some changed s has n in A(s) in one version and not in the other.
#
# Proof. If such an s exists, it is in D(n) in one version only. Now let x be in D(n) in one version only, say the old
# one, by the chain x = x0, x1, ..., xk = n. In the new version x0 does not reach n, and xk does, being n itself. Take
# the last xi that does not. It is not n, and x(i+1) is n or reaches n in the new version; so the new version lacks the
# edge from xi to x(i+1), and xi is changed. The rest of the chain shows that n is in A(xi) in the old version, and by
# the choice of i it is not in the new one. Cycles are allowed.
#
# So each changed node gets a bit, which is passed up along the edges of each version, and nodes are compared by their
# bits. A bit is set at the node itself, in both versions, so that a cycle through it makes no difference there. Changed
# nodes with no nodes below them in either version have no descendants, and the nodes above them depend only on those
# directly above: all that have the same ones share one bit, which is set there. Only nodes above a changed one are
# visited. Bits are passed in blocks, so that memory stays proportional to the number of nodes.


def with_other_descendants(old: _Numbers, new: _Numbers, nodes: int) -> set[int]:
    """The nodes whose descendants differ between the versions; edges are rows of a lower and an upper node.

    Nodes are numbers below `nodes`. A node that only one version has counts as a node without edges in the other.
    """
    old_pairs, new_pairs = _distinct(old, nodes), _distinct(new, nodes)
    changed = np.setxor1d(old_pairs, new_pairs, assume_unique=True) // nodes
    changed = changed[np.diff(changed, prepend=-1) != 0]
    before, after = (Edges.of_rows(np.column_stack(np.divmod(pairs, nodes)), nodes) for pairs in (old_pairs, new_pairs))
    has_lower = np.zeros(nodes, dtype=np.bool_)
    has_lower[old_pairs % nodes] = has_lower[new_pairs % nodes] = True
    marks_before, marks_after = _marks(changed, has_lower[changed], before, after)
    above_before, above_after = (
        Condensed(edges, chain.from_iterable(marks)) for edges, marks in ((before, marks_before), (after, marks_after))
    )
    of_before, of_after = above_before.component_of, above_after.component_of
    reached = {node for above in (above_before, above_after) for members in above.members for node in members}
    found: set[int] = set()
    for start in range(0, len(marks_before), _BLOCK):
        block = slice(start, start + _BLOCK)
        bits_before = above_before.passed_on(_bits(marks_before[block]))
        bits_after = above_after.passed_on(_bits(marks_after[block]))
        found.update(node for node in reached if bits_before[of_before[node]] != bits_after[of_after[node]])
    return found


def _distinct(edges: _Numbers, nodes: int) -> _Numbers:
    """Each edge between two nodes once, as one number, in order."""
    pairs = np.sort((edges[:, 0] * nodes + edges[:, 1])[edges[:, 0] != edges[:, 1]])
    found: _Numbers = pairs[np.diff(pairs, prepend=-1) != 0]
    return found


def _marks(changed: _Numbers, has_lower: NDArray[np.bool_], before: Edges, after: Edges) -> tuple[_Marks, _Marks]:
    """Where the bits are set in each version. `has_lower` says which of the changed nodes have others below them."""
    inner: list[tuple[int]] = [(node,) for node in changed[has_lower].tolist()]
    outer = {(tuple(before[node]), tuple(after[node])) for node in changed[~has_lower].tolist()}
    return [*inner, *(uppers for uppers, _ in outer)], [*inner, *(uppers for _, uppers in outer)]


def _bits(marks: _Marks) -> dict[int, int]:
    """The bits of each node, from the nodes of each bit."""
    bits: dict[int, int] = {}
    for place, nodes in enumerate(marks):
        for node in nodes:
            bits[node] = bits.get(node, 0) | 1 << place
    return bits


@dataclass(frozen=True)
class EntityCoverage:
    """A row of Table 3, with the entities that no test touches."""

    classes: int
    properties_and_restrictions: int
    tests: int
    direct: int
    indirect: int
    percent: float
    untouched: list[Entity]

    def untouched_rows(self) -> list[list[str | None]]:
        """The entities that no test touches, each as a source, a target and a label with short names."""
        return list(map(short_names(self.untouched).row, self.untouched))


def entity_coverage(tests: Sequence[Test], graph: OntologyGraph) -> EntityCoverage:
    """The entities that the tests cover, and those that no test uses, as in the paper's Table 3.

    A test covers an entity directly if it refers to it, and indirectly if it refers to a class above it. A test whose
    uses are unknown covers nothing.
    """
    rows = matrix(tests, graph)
    named: set[Entity] = set().union(*(row.entities for row in rows))
    properties: set[str] = set().union(*(row.properties for row in rows))
    named.update(edge for name in properties for edge in graph.edges_by_name[name])
    entities = graph.property_edges.union(map(Entity, graph.classes))
    direct = entities & named
    starts = [graph.numbers[entity.source] for entity in named if entity.label is None]
    indirect = (entities & {Entity(graph.terms[number]) for number in _below(starts, graph)}) - direct
    untouched = sorted(entities - direct - indirect, key=in_order)
    return EntityCoverage(
        classes=len(graph.classes),
        properties_and_restrictions=len(graph.property_edges),
        tests=len(tests),
        direct=len(direct),
        indirect=len(indirect),
        percent=100 * (len(direct) + len(indirect)) / len(entities) if entities else 100.0,
        untouched=untouched,
    )


def _below(starts: Iterable[int], graph: OntologyGraph) -> Collection[int]:
    """The numbers of some classes and of all below them."""
    has_nothing = bool((graph.subclass_edges == NOTHING).any())
    lowers: dict[int, list[int]] = {}
    for lower, upper in graph.hierarchy(has_thing=True, has_nothing=has_nothing).tolist():
        lowers.setdefault(upper, []).append(lower)
    return reached(starts, lambda upper: lowers.get(upper, ()))


@dataclass(frozen=True)
class PaperPlan:
    """A plan by the paper's algorithm, and its three sets."""

    plan: SelectionPlan
    sets: Sets
    names: ShortNames

    def named_sets(self) -> _NamedSets:
        """The sets for JSON; sorting them takes time."""
        return as_json(self.sets, self.names)


def paper_plan(versions: Versions, suite: Suite, *, reasoner: Reasoner | None = None) -> PaperPlan:
    """Plan the tests that use an entity in AFFECT, by Algorithm 1 of the paper."""
    old_edges, new_edges = (class_edges(graph, reasoner) for graph in (versions.old, versions.new))
    old, new = ontology_graph(versions.old, old_edges), ontology_graph(versions.new, new_edges)
    sets = affected(old, new)
    names = short_names(old.property_edges, new.property_edges)
    spelled = Names(versions.old, versions.new).explained
    said = cache(lambda entity: _in_affect(entity, names, spelled))  # tests of one property have the same reasons
    selected = select(sets.affect, matrix(suite.tests, old))
    broken = broken_reasons(versions, [chosen_test.test for chosen_test in selected])
    chosen = []
    for chosen_test in selected:
        own = broken.get(chosen_test.test.name, ())
        because = (*own, *map(said, chosen_test.because), *unseen_reasons(chosen_test.test))
        chosen.append(PlannedTest(chosen_test.test, because, Urgency.BROKEN if own else Urgency.DIRECT))
    chosen.sort(key=lambda planned: planned.place)
    how = tuple(dict.fromkeys((f"old version: {old_edges.how}", f"new version: {new_edges.how}")))
    removed, added = len(versions.gone), len(versions.come)
    return PaperPlan(SelectionPlan("paper", tuple(chosen), suite.tests, removed, added, how), sets, names)


def _in_affect(entity: Entity, names: ShortNames, spelled: Callable[[Term], str]) -> Reason:
    source, target, label = entity
    parts = (spelled(source), "-" if target is None else spelled(target), "-" if label is None else names.label(label))
    return Reason("", entailed=False, path=(), use=f"AFFECT has ⟨{', '.join(parts)}⟩", line=None)


class PaperSelector:
    """Selects tests for many new versions of one ontology. The old version and the tests are read once."""

    def __init__(self, old: Graph, suite: Suite, reasoner: Reasoner | None = None) -> None:
        self._reasoner = reasoner
        self._old = ontology_graph(old, class_edges(old, reasoner))
        self._matrix = matrix(suite.tests, self._old)

    def __call__(self, new: Graph) -> frozenset[str]:
        """The names of the tests to run."""
        sets = affected(self._old, ontology_graph(new, class_edges(new, self._reasoner)))
        return frozenset(selected.test.name for selected in select(sets.affect, self._matrix))


def named_sets(old: Graph, new: Graph, edges: Sequence[ClassEdges]) -> _NamedSets:
    """ADD, DELETE and AFFECT for JSON, from two versions and their class hierarchies."""
    before, after = (ontology_graph(graph, found) for graph, found in zip((old, new), edges, strict=True))
    return as_json(affected(before, after), short_names(before.property_edges, after.property_edges))


def covered_entities(tests: Sequence[Test], graph: Graph, reasoner: Reasoner | None = None) -> EntityCoverage:
    """The entities of an ontology that the tests use."""
    return entity_coverage(tests, ontology_graph(graph, class_edges(graph, reasoner)))
