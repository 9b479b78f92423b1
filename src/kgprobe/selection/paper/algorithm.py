"""Algorithm 1 of the paper, SelectTests: what a new version of an ontology adds, deletes and affects, and which tests.

Phase 3 is here too: the tests to run again are those that use an affected entity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from kgprobe.graph.table import collection_paused
from kgprobe.selection.paper.alignment import align
from kgprobe.selection.paper.descendants import with_other_descendants
from kgprobe.selection.paper.entity import Entity, in_order
from kgprobe.selection.paper.labels import ShortNames, edges_by_name
from kgprobe.selection.paper.matrix import Row
from kgprobe.selection.paper.model import NOTHING, OntologyGraph
from kgprobe.selection.tests import Test

__all__ = ["Selected", "Sets", "affected", "as_json", "select"]


@dataclass(frozen=True)
class Sets:
    """The paper's three sets: what only the new version has, what only the old one has, and what the change affects."""

    add: frozenset[Entity]
    delete: frozenset[Entity]
    affect: frozenset[Entity]


@dataclass(frozen=True)
class Selected:
    """A test to run again, and the affected entities that it uses: none, if it cannot be told what it uses."""

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
    """The sets for a machine: lists of a source, a target or None, and a label or None, with short names in labels."""
    named = {"add": sets.add, "delete": sets.delete, "affect": sets.affect}
    return {name: [names.row(each) for each in sorted(entities, key=in_order)] for name, entities in named.items()}


def select(affect: frozenset[Entity], matrix: Iterable[Row]) -> list[Selected]:
    """Phase 3 (lines 21 to 23), and beyond the paper every test of which it cannot be told what it uses."""
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
