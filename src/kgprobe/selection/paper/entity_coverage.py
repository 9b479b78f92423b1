"""The coverage of an ontology by a test suite (the paper's Table 3), and the entities that no test uses.

A test covers an entity directly if it refers to it, and indirectly if it refers to a class above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgprobe.graph.reachability import reached
from kgprobe.selection.paper.entities import Entity, in_order, short_names
from kgprobe.selection.paper.matrix import matrix
from kgprobe.selection.paper.model import NOTHING, OntologyGraph
from kgprobe.selection.tests import Test

__all__ = ["EntityCoverage", "entity_coverage"]


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
    """The entities that the tests cover. A test whose uses are unknown covers nothing."""
    rows = matrix(tests, graph)
    named: set[Entity] = set().union(*(row.entities for row in rows))
    properties: set[str] = set().union(*(row.properties for row in rows))
    named.update(edge for name in properties for edge in graph.edges_by_name[name])
    entities = graph.property_edges.union(map(Entity, graph.classes))
    direct = entities & named
    starts = [graph.numbers[each.source] for each in named if each.label is None]
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


def _below(starts: Iterable[int], graph: OntologyGraph) -> set[int]:
    """The numbers of some classes and of all below them."""
    has_nothing = bool((graph.subclass_edges == NOTHING).any())
    lowers: dict[int, list[int]] = {}
    for lower, upper in graph.hierarchy(has_thing=True, has_nothing=has_nothing).tolist():
        lowers.setdefault(upper, []).append(lower)
    return reached(starts, lambda upper: lowers.get(upper, ()))
