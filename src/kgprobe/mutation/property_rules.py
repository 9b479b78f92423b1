"""What OWL 2 DL and EL demand of object properties as a whole, asked of the neighbourhood of a few of them.

A FILTER can ask these questions by IRIs in kgprobe's namespace. An operator that asks before it adds an axiom keeps
an ontology in its profile. The rules are those of section 11 of the structural specification of OWL 2, and of section
2.2.6 of "OWL 2 Profiles".

A question costs as much as the hierarchy around its properties is large, however large the graph is. For that the
answers err on the side of no:

- A property and its inverse count as one.
- A range that is an expression counts as one that no other property has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.filters import Test
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode
from kgprobe.masks.per_table import PerTable
from kgprobe.mutation.entity_rules import is_class, is_data_property, is_object_property
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.mutation.names import Names

__all__ = ["TESTS"]

_Next: TypeAlias = Callable[[Graph, Key], Iterable[Key]]

_DEMANDING_TYPES = (
    *(OWL.FunctionalProperty, OWL.InverseFunctionalProperty),
    *(OWL.IrreflexiveProperty, OWL.AsymmetricProperty),
)
_DEMANDING_RESTRICTIONS = (
    *(OWL.hasSelf, OWL.minCardinality, OWL.maxCardinality, OWL.cardinality),
    *(OWL.minQualifiedCardinality, OWL.maxQualifiedCardinality, OWL.qualifiedCardinality),
)
# They are simple to nobody, whatever the axioms say.
_EXTREMES = (OWL.topObjectProperty, OWL.bottomObjectProperty)


def _is_simple(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether neither a chain nor a transitive property implies the property."""
    return not any(_is_composite(graph, lower) for lower in _closure(graph, keys[0], _below))


def _may_compose(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may be transitive, or implied by a chain: nothing demands that it be simple."""
    demands = _demands_in(graph)
    return not demands or not _must_be_simple(graph, _closure(graph, keys[0], _above), demands)


def _may_imply(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property may be put below the second."""
    demands, has_chains = _demands_in(graph), _has_chains(graph)
    if not demands and not has_chains:
        return True
    lower, upper = keys
    below, above = _closure(graph, lower, _below), _closure(graph, upper, _above)
    if demands and any(_is_composite(graph, each) for each in below) and _must_be_simple(graph, above, demands):
        return False
    if not has_chains:
        return True
    if any(map(_chains_of(graph), below)) and any(map(_ranges_of(graph), above)):
        return False
    return not _comes_before(graph, upper, lower)


def _may_have_range(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may get one more range: no chain implies it, the last of which would have to have it too."""
    return not _has_chains(graph) or not any(map(_chains_of(graph), _closure(graph, keys[0], _below)))


def _may_chain(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property followed by the second may imply the third."""
    first, second, implied = keys
    above = _closure(graph, implied, _above)
    if _must_be_simple(graph, above, _demands_in(graph)):
        return False
    known = set(graph.objects(second, graph.key(RDFS.range)))
    for imposed in (each for upper in above for each in _ranges_of(graph)(upper)):
        if imposed not in known or isinstance(graph.term(imposed), BlankNode):
            return False
    # The implied property may itself be at one end of the chain. Nothing else that comes after it may be in it.
    later = _closure(graph, implied, _later)
    return not any(each in later for each in (first, second) if each != implied)


# -- what a property is, and what is asked of it -------------------------------------------------------------------


def _is_composite(graph: Graph, prop: Key) -> bool:
    if graph.has(prop, graph.key(RDF.type), graph.key(OWL.TransitiveProperty)) or _chains_of(graph)(prop):
        return True
    return graph.term(prop) in _EXTREMES


def _demands_in(graph: Graph) -> list[_Demand]:
    """The ways in which something here may demand that a property be simple. It is rare that there are any."""
    return graph.found(_find_demands)


def _find_demands(graph: Graph) -> list[_Demand]:
    changed = [graph.changed_parts(place) for place in range(3)]
    return [demand for demand in _DEMANDS.of(graph.table) if demand.in_table or demand.key in changed[demand.place]]


def _must_be_simple(graph: Graph, props: Iterable[Key], demands: Sequence[_Demand]) -> bool:
    """Whether something demands that one of these properties be simple."""
    return bool(demands) and any(demand.is_on(graph, prop) for prop in props for demand in demands)


@dataclass(frozen=True, slots=True)
class _Demand:
    """One way to demand that a property be simple: a type, a predicate of restrictions, disjointness."""

    place: int  # where its key is in the triple that tells
    key: Key
    in_table: bool
    test: Callable[[Graph, Key, Key], bool]

    def is_on(self, graph: Graph, prop: Key) -> bool:
        return self.test(graph, prop, self.key)


def _demands(table: TripleTable) -> list[_Demand]:
    graph = Graph.from_table(table)
    is_a = graph.key(RDF.type)
    found = []
    for kind in map(graph.key, _DEMANDING_TYPES):
        found.append(_Demand(2, kind, graph.count(None, is_a, kind) > 0, _has_type))
    for predicate in map(graph.key, _DEMANDING_RESTRICTIONS):
        found.append(_Demand(1, predicate, graph.count(None, predicate) > 0, _is_restricted))
    pairs, groups = graph.key(OWL.propertyDisjointWith), graph.key(OWL.AllDisjointProperties)
    found.append(_Demand(1, pairs, graph.count(None, pairs) > 0, _is_in_disjoint_pair))
    found.append(_Demand(2, groups, graph.count(None, is_a, groups) > 0, _is_in_disjoint_group))
    return found


_DEMANDS = PerTable(_demands)


def _has_type(graph: Graph, prop: Key, kind: Key) -> bool:
    return graph.has(prop, graph.key(RDF.type), kind)


def _is_in_disjoint_pair(graph: Graph, prop: Key, disjoint: Key) -> bool:
    return graph.count(prop, disjoint) + graph.count(None, disjoint, prop) > 0


def _is_restricted(graph: Graph, prop: Key, demanding: Key) -> bool:
    """Whether a restriction with this predicate is on the property.

    Properties are in thousands of restrictions, very few of which demand something: those are looked at, or those of
    the property if they are fewer.
    """
    on_property = graph.key(OWL.onProperty)
    if graph.count(None, demanding) <= graph.count(None, on_property, prop):
        return any(graph.has(node, on_property, prop) for node, _, _ in graph.rows(None, demanding))
    return any(graph.count(node, demanding) for node in graph.subjects(on_property, prop))


def _is_in_disjoint_group(graph: Graph, prop: Key, groups: Key) -> bool:
    owners = (owner for head in _lists_with(graph, prop) for owner, _, _ in graph.rows(None, None, head))
    return any(graph.has(owner, graph.key(RDF.type), groups) for owner in owners)


def _has_chains(graph: Graph) -> bool:
    return graph.found(_find_chains) > 0


def _find_chains(graph: Graph) -> int:
    return graph.count(None, graph.key(OWL.propertyChainAxiom))


def _chains_of(graph: Graph) -> Callable[[Key], Iterable[Key]]:
    """The chains that imply a property."""
    chain = graph.key(OWL.propertyChainAxiom)
    return lambda prop: graph.objects(prop, chain)


def _ranges_of(graph: Graph) -> Callable[[Key], Iterable[Key]]:
    range_ = graph.key(RDFS.range)
    return lambda prop: graph.objects(prop, range_)


# -- ways from one property to others ------------------------------------------------------------------------------


def _beside(graph: Graph, prop: Key) -> Iterator[Key]:
    """The properties that are equivalent to this one, and its inverses; those without a name as well."""
    for predicate in (graph.key(OWL.equivalentProperty), graph.key(OWL.inverseOf)):
        yield from graph.objects(prop, predicate)
        yield from graph.subjects(predicate, prop)


def _above(graph: Graph, prop: Key) -> Iterator[Key]:
    yield from _beside(graph, prop)
    yield from graph.objects(prop, graph.key(RDFS.subPropertyOf))


def _below(graph: Graph, prop: Key) -> Iterator[Key]:
    yield from _beside(graph, prop)
    yield from graph.subjects(graph.key(RDFS.subPropertyOf), prop)


def _later(graph: Graph, prop: Key) -> Iterator[Key]:
    """What must not come before this property in the order that chains need: what it implies, alone or in a chain."""
    yield from _above(graph, prop)
    yield from _implied_in_chains(graph, prop)


def _implied_in_chains(graph: Graph, prop: Key) -> Iterator[Key]:
    if _has_chains(graph):
        chain = graph.key(OWL.propertyChainAxiom)
        for head in _lists_with(graph, prop):
            yield from graph.subjects(chain, head)


def _lists_with(graph: Graph, member: Key) -> Iterator[Key]:
    """The heads of the lists that have this member."""
    rest = graph.key(RDF.rest)
    for cell in graph.subjects(graph.key(RDF.first), member):
        seen = {cell}
        before = graph.subjects(rest, cell)
        while before and before[0] not in seen:  # a broken list may run in a circle
            cell = before[0]
            seen.add(cell)
            before = graph.subjects(rest, cell)
        yield cell


def _closure(graph: Graph, start: Key, ways: _Next) -> dict[Key, None]:
    """The property and all that these ways lead to, in an order that is the same every time."""
    closures = graph.found(_no_closures)
    found = closures.get((ways, start))
    if found is not None:
        return found
    known, moved = _NEIGHBOURS.of(graph.table)[ways], graph.found(_moved)
    found = closures[ways, start] = {start: None}
    waiting = [start]
    while waiting:
        prop = waiting.pop()
        if prop in moved:
            near: Iterable[Key] = ways(graph, prop)
        elif prop in known:
            near = known[prop]
        else:
            near = known[prop] = tuple(ways(graph, prop))
        for each in near:
            if each not in found:
                found[each] = None
                waiting.append(each)
    return found


# All ways are made of these.
_HIERARCHY = Names(RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyChainAxiom)
# Where each way leads from a property about which nothing has changed since the graph was loaded.
_NEIGHBOURS: PerTable[dict[_Next, dict[Key, tuple[Key, ...]]]] = PerTable(lambda _: defaultdict(dict))


def _no_closures(_: Graph) -> dict[tuple[_Next, Key], dict[Key, None]]:
    """Filled on the way: an operator asks about one pair of properties after the other."""
    return {}


def _moved(graph: Graph) -> set[Key]:
    """The properties from which a way may lead elsewhere than when the graph was loaded."""
    predicates = graph.changed_parts(1)
    changed = [predicate for predicate in _HIERARCHY.of(graph) if predicate in predicates]
    if changed:
        changed.append(graph.key(RDF.first))  # a chain that comes or goes does so with its list
    return {key for predicate in changed for s, _, o in graph.changes_with(predicate) for key in (s, o)}


def _comes_before(graph: Graph, start: Key, goal: Key) -> bool:
    """Whether a way from one property to the other leads through a chain: to close it would be a circle."""
    plain = _closure(graph, start, _above)
    through = [after for prop in plain for after in _implied_in_chains(graph, prop)]
    return any(goal in _closure(graph, prop, _later) for prop in dict.fromkeys(through))


TESTS: dict[str, Test] = {
    NAMESPACE + "isClass": is_class,
    NAMESPACE + "isObjectProperty": is_object_property,
    NAMESPACE + "isDataProperty": is_data_property,
    NAMESPACE + "isSimple": _is_simple,
    NAMESPACE + "mayCompose": _may_compose,
    NAMESPACE + "mayImply": _may_imply,
    NAMESPACE + "mayHaveRange": _may_have_range,
    NAMESPACE + "mayChain": _may_chain,
}
