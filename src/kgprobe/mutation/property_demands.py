"""What demands of an object property that it be simple: that neither a chain nor a transitive property implies it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kgprobe.graph.changes import Key
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.filters import remembered
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import OWL
from kgprobe.mutation.property_ways import WORDS, above, lists_with

__all__ = ["must_be_simple"]

_TYPES = (
    *(OWL.FunctionalProperty, OWL.InverseFunctionalProperty),
    *(OWL.IrreflexiveProperty, OWL.AsymmetricProperty),
)
_RESTRICTIONS = (
    *(OWL.hasSelf, OWL.minCardinality, OWL.maxCardinality, OWL.cardinality),
    *(OWL.minQualifiedCardinality, OWL.maxQualifiedCardinality, OWL.qualifiedCardinality),
)


@dataclass(frozen=True, slots=True)
class _Demand:
    """One way to demand it: a type, a predicate of restrictions, disjointness."""

    key: Key  # the type, or the predicate
    test: Callable[[Graph, Key, Key], bool]

    def is_on(self, graph: Graph, prop: Key) -> bool:
        return self.test(graph, prop, self.key)


def must_be_simple(graph: Graph, prop: Key) -> bool:
    """Whether something demands that this property, or one that it implies, be simple."""
    return bool(graph.found(_demands_in)) and _is_demanded(graph, (prop,))


@remembered
def _is_demanded(graph: Graph, keys: tuple[Key, ...]) -> bool:
    demands = graph.found(_demands_in)
    return any(demand.is_on(graph, upper) for upper in above(graph, keys[0]) for demand in demands)


def _demands_in(graph: Graph) -> list[_Demand]:
    """The ways in which something here may demand it. It is rare that there are any."""
    known = _DEMANDS.of(graph.table)
    predicates = filter(graph.changed_parts(1).__contains__, known.by_predicate)
    types = filter(graph.changed_parts(2).__contains__, known.by_type)
    return [*known.in_table, *map(known.by_predicate.__getitem__, predicates), *map(known.by_type.__getitem__, types)]


@dataclass(frozen=True)
class _Demands:
    """All ways: those that a table has, and those that a change may bring, by the type or predicate that tells."""

    in_table: list[_Demand] = field(default_factory=list)
    by_type: dict[Key, _Demand] = field(default_factory=dict)
    by_predicate: dict[Key, _Demand] = field(default_factory=dict)


def _known_demands(table: TripleTable) -> _Demands:
    graph, known = Graph.from_table(table), _Demands()
    by_type = [*((kind, _has_type) for kind in _TYPES), (OWL.AllDisjointProperties, _is_in_disjoint_group)]
    for kind, test in by_type:
        demand = _Demand(graph.key(kind), test)
        if graph.count(None, table.is_a, demand.key):
            known.in_table.append(demand)
        else:
            known.by_type[demand.key] = demand
    by_predicate = [*((name, _is_restricted) for name in _RESTRICTIONS), (OWL.propertyDisjointWith, _is_in_pair)]
    for name, test in by_predicate:
        demand = _Demand(graph.key(name), test)
        if graph.count(None, demand.key):
            known.in_table.append(demand)
        else:
            known.by_predicate[demand.key] = demand
    return known


_DEMANDS = PerTable(_known_demands)


def _has_type(graph: Graph, prop: Key, kind: Key) -> bool:
    return graph.has(prop, graph.table.is_a, kind)


def _is_in_pair(graph: Graph, prop: Key, disjoint: Key) -> bool:
    return graph.count(prop, disjoint) + graph.count(None, disjoint, prop) > 0


def _is_in_disjoint_group(graph: Graph, prop: Key, groups: Key) -> bool:
    owners = (owner for head in lists_with(graph, prop) for owner, _, _ in graph.rows(None, None, head))
    return any(graph.has(owner, graph.table.is_a, groups) for owner in owners)


def _is_restricted(graph: Graph, prop: Key, demanding: Key) -> bool:
    """Whether a restriction with this predicate is on the property.

    Properties are in thousands of restrictions, very few of which demand something: those are looked at, or those of
    the property if they are fewer.
    """
    on_property = WORDS.of(graph.table).on_property
    if graph.count(None, demanding) <= graph.count(None, on_property, prop):
        return any(graph.has(node, on_property, prop) for node, _, _ in graph.rows(None, demanding))
    return any(graph.count(node, demanding) for node in graph.subjects(on_property, prop))
