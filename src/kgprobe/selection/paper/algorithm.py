"""Algorithm 1 of the paper, SelectTests: the entities that a new version of an ontology adds, deletes and affects, and
the tests to run again, which are those that use an affected entity (phase 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.graph.reachability import Condensed, Edges
from kgprobe.graph.table import collection_paused
from kgprobe.selection.paper.entities import Entity, ShortNames, edges_by_name, in_order
from kgprobe.selection.paper.matrix import Row
from kgprobe.selection.paper.model import NOTHING, OntologyGraph, align
from kgprobe.selection.tests import Test

__all__ = ["Selected", "Sets", "affected", "as_json", "select", "with_other_descendants"]

_Numbers: TypeAlias = NDArray[np.int64]
_Marks: TypeAlias = list[Sequence[int]]  # for each bit, the nodes at which it is set
_BLOCK = 8192


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
                Entity(both.common[each]) for each in changed & both.common.keys() - {NOTHING}
            ),
        )


def as_json(sets: Sets, names: ShortNames) -> dict[str, list[list[str | None]]]:
    """The sets for JSON: lists of a source, a target or None, and a label or None, with short names in labels."""
    named = {"add": sets.add, "delete": sets.delete, "affect": sets.affect}
    return {name: [names.row(each) for each in sorted(entities, key=in_order)] for name, entities in named.items()}


def select(affect: frozenset[Entity], matrix: Iterable[Row]) -> list[Selected]:
    """Phase 3 (lines 21 to 23). Beyond the paper, it also selects every test whose uses are not all known."""
    by_name = {name: tuple(edges) for name, edges in edges_by_name(sorted(affect, key=in_order)).items()}
    selected = []
    for row in matrix:
        named = tuple(sorted(row.entities & affect, key=in_order))
        standing = (by_name.get(each, ()) for each in sorted(row.properties))
        reasons = [each for each in (named, *standing) if each]
        if reasons or row.test.unseen:
            because = reasons[0] if len(reasons) == 1 else tuple(dict.fromkeys(chain.from_iterable(reasons)))
            selected.append(Selected(row.test, because))
    return selected


# -- nodes whose descendants changed -----------------------------------------------------------------------------------
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
