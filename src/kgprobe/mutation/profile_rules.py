"""Which axioms an operator may add without taking an ontology out of OWL 2 DL or EL.

A FILTER can ask these questions by IRIs in our namespace. The rules are those of section 11 of the structural
specification of OWL 2, and of section 2.2.6 of "OWL 2 Profiles": they concern the object properties of an ontology as
a whole. A question reads only the property hierarchy around its arguments, even in a large graph. As a consequence,
some answers are "no" where "yes" would be right:

- A property and its inverse count as one.
- A range that is an expression counts as different from all ranges of other properties.

Operators ask about the same few properties again and again, and most changes to a graph do not concern them. So the
answers about the hierarchy are cached: for the graph as it was loaded, and for the last state of the triples that the
answers depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kgprobe.mutation.functions import NAMESPACE, is_class, is_data_property, is_object_property, is_own_name
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode
from kgprobe.sparql.matching.filters import Test, remembered

_Step: TypeAlias = Callable[[Graph, Key], Iterable[Key]]  # from a property to the next ones
_Closures: TypeAlias = dict[tuple[_Step, Key], dict[Key, None]]
_Find: TypeAlias = Callable[[Graph], _Closures]
# The number of properties cached in all closures of the loaded graph: thousands may be equivalent to each other.
_MOST_KEPT = 100_000
# Their sizes are counted once this number of closures is reached.
_FEW = 100
_NAMES = (
    *(RDF.type, OWL.TransitiveProperty, RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf),
    *(OWL.propertyChainAxiom, RDFS.range, OWL.onProperty, RDF.first, RDF.rest),
)
_HIERARCHY = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf)
# Never simple, regardless of the axioms.
_EXTREMES = (OWL.topObjectProperty, OWL.bottomObjectProperty)
_TYPES = (
    *(OWL.FunctionalProperty, OWL.InverseFunctionalProperty),
    *(OWL.IrreflexiveProperty, OWL.AsymmetricProperty),
)
_RESTRICTIONS = (
    *(OWL.hasSelf, OWL.minCardinality, OWL.maxCardinality, OWL.cardinality),
    *(OWL.minQualifiedCardinality, OWL.maxQualifiedCardinality, OWL.qualifiedCardinality),
)


class _Words(NamedTuple):
    """The keys of the vocabulary for properties."""

    is_a: Key
    transitive: Key
    sub_property: Key
    equivalent: Key
    inverse: Key
    chain: Key
    range: Key
    on_property: Key
    first: Key
    rest: Key


WORDS = PerTable(lambda table: _Words(*map(table.key, _NAMES)))


class _Known:
    """Closures in graphs of one table that agree in all triples with some predicates."""

    def __init__(self, table: TripleTable, predicates: Iterable[NamedNode]) -> None:
        self._predicates = list(map(table.key, predicates))
        self._as_loaded: _Closures = {}
        self._enough = _FEW
        self._last: tuple[list[KeyTriple], _Closures] = ([], {})

    def closures(self, graph: Graph) -> _Closures:
        changed = [keys for predicate in self._predicates for keys in graph.changes_at(1, predicate) or ()]
        if not changed:
            if len(self._as_loaded) > self._enough:
                self._make_room()
            return self._as_loaded
        if changed != self._last[0]:
            self._last = changed, {}
        return self._last[1]

    def _make_room(self) -> None:
        if sum(map(len, self._as_loaded.values())) > _MOST_KEPT:
            self._as_loaded.clear()
        self._enough = max(_FEW, 2 * len(self._as_loaded))


def _known(*predicates: NamedNode) -> _Find:
    known = PerTable(lambda table: _Known(table, predicates))
    return lambda graph: known.of(graph.table).closures(graph)


def _closure(graph: Graph, start: Key, step: _Step, find: _Find) -> Mapping[Key, None]:
    """The property and all that the steps lead to, in a fixed order."""
    closures = graph.cached(find)
    closure = closures.get((step, start))
    if closure is None:
        closure = closures[step, start] = reached([start], lambda prop: step(graph, prop))
    return closure


def _beside(graph: Graph, prop: Key) -> list[Key]:
    """The properties that are equivalent to this one, and its inverses, including unnamed ones."""
    words = WORDS.of(graph.table)
    return [
        *graph.objects(prop, words.equivalent),
        *graph.subjects(words.equivalent, prop),
        *graph.objects(prop, words.inverse),
        *graph.subjects(words.inverse, prop),
    ]


def _above(graph: Graph, prop: Key) -> list[Key]:
    return [*_beside(graph, prop), *graph.objects(prop, WORDS.of(graph.table).sub_property)]


def _below(graph: Graph, prop: Key) -> list[Key]:
    return [*_beside(graph, prop), *graph.subjects(WORDS.of(graph.table).sub_property, prop)]


def _later(graph: Graph, prop: Key) -> list[Key]:
    return [*_above(graph, prop), *_implied_in_chains(graph, prop)]


_in_hierarchy = _known(*_HIERARCHY)
_in_chains_too = _known(*_HIERARCHY, OWL.propertyChainAxiom, RDF.first, RDF.rest)


def above(graph: Graph, prop: Key) -> Mapping[Key, None]:
    """The property itself, and all properties that it implies without a chain."""
    return _closure(graph, prop, _above, _in_hierarchy)


def below(graph: Graph, prop: Key) -> Mapping[Key, None]:
    """The property itself, and all properties that imply it without a chain."""
    return _closure(graph, prop, _below, _in_hierarchy)


def later(graph: Graph, prop: Key) -> Mapping[Key, None]:
    """Properties that this one implies, alone or in a chain: they must not come before it in the order of chains."""
    return _closure(graph, prop, _later, _in_chains_too) if has_chains(graph) else above(graph, prop)


def past_chains(graph: Graph, prop: Key) -> Mapping[Key, None]:
    """Properties that come after this one because of a chain."""
    closures = graph.cached(_in_chains_too)
    implied = closures.get((past_chains, prop))
    if implied is None:
        through = dict.fromkeys(after for upper in above(graph, prop) for after in _implied_in_chains(graph, upper))
        implied = closures[past_chains, prop] = dict.fromkeys(
            property_ for start in through for property_ in later(graph, start)
        )
    return implied


def has_chains(graph: Graph) -> bool:
    """Whether a chain implies anything here."""
    return graph.cached(_count_chains) > 0


def _count_chains(graph: Graph) -> int:
    return graph.count(None, WORDS.of(graph.table).chain)


def _implied_in_chains(graph: Graph, prop: Key) -> Iterator[Key]:
    """The properties implied by chains that contain this one."""
    if has_chains(graph):
        chain = WORDS.of(graph.table).chain
        for head in lists_with(graph, prop):
            yield from graph.subjects(chain, head)


def lists_with(graph: Graph, member: Key) -> Iterator[Key]:
    """The heads of the lists that have this member."""
    words = WORDS.of(graph.table)
    for cell in graph.subjects(words.first, member):
        seen = {cell}
        before = graph.subjects(words.rest, cell)
        while before and before[0] not in seen:  # a broken list may run in a circle
            cell = before[0]
            seen.add(cell)
            before = graph.subjects(words.rest, cell)
        yield cell


def _is_simple(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether neither a chain nor a transitive property implies the property."""
    return not any(_is_composite(graph, lower) for lower in below(graph, keys[0]))


def _may_compose(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may be transitive or implied by a chain: nothing requires it to be simple."""
    return not _must_be_simple(graph, keys[0])


def _may_imply(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property may become a subproperty of the second."""
    lower, upper = keys
    if _must_be_simple(graph, upper) and not _is_simple(graph, (lower,)):
        return False
    if not has_chains(graph):
        return True
    if _is_implied_by_chain(graph, lower) and any(_ranges(graph, property_) for property_ in above(graph, upper)):
        return False
    return lower not in past_chains(graph, upper)  # that would close a circle


def _may_have_range(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may get another range.

    It may not if a chain implies it: the last property of the chain would also need that range.
    """
    return not has_chains(graph) or not _is_implied_by_chain(graph, keys[0])


def _may_chain(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property followed by the second may imply the third."""
    first, second, implied = keys
    if _must_be_simple(graph, implied):
        return False
    imposed = [range_ for upper in above(graph, implied) for range_ in _ranges(graph, upper)]
    if imposed:
        known = _ranges(graph, second)
        if any(range_ not in known or isinstance(graph.term(range_), BlankNode) for range_ in imposed):
            return False
    # The implied property may be at one end of the chain. No other property after it in the order may be in the chain.
    after = later(graph, implied)
    return not any(property_ in after for property_ in (first, second) if property_ != implied)


def _is_composite(graph: Graph, prop: Key) -> bool:
    words = WORDS.of(graph.table)
    if graph.has(prop, words.is_a, words.transitive) or graph.objects(prop, words.chain):
        return True
    return graph.term(prop) in _EXTREMES


def _is_implied_by_chain(graph: Graph, prop: Key) -> bool:
    chain = WORDS.of(graph.table).chain
    return any(graph.objects(lower, chain) for lower in below(graph, prop))


def _ranges(graph: Graph, prop: Key) -> Sequence[Key]:
    return graph.objects(prop, WORDS.of(graph.table).range)


@dataclass(frozen=True, slots=True)
class _Demand:
    """One kind of axiom that requires simplicity: a type, a restriction, disjointness."""

    key: Key  # the type, or the predicate
    test: Callable[[Graph, Key, Key], bool]

    def is_on(self, graph: Graph, prop: Key) -> bool:
        return self.test(graph, prop, self.key)


def _must_be_simple(graph: Graph, prop: Key) -> bool:
    """Whether an axiom requires this property, or one that it implies, to be simple."""
    return bool(graph.cached(_demands_in)) and _is_demanded(graph, (prop,))


@remembered
def _is_demanded(graph: Graph, keys: tuple[Key, ...]) -> bool:
    demands = graph.cached(_demands_in)
    return any(demand.is_on(graph, upper) for upper in above(graph, keys[0]) for demand in demands)


def _demands_in(graph: Graph) -> list[_Demand]:
    """The kinds that this graph may have. Most graphs have none."""
    known = _DEMANDS.of(graph.table)
    predicates = filter(graph.changed_parts(1).__contains__, known.by_predicate)
    types = filter(graph.changed_parts(2).__contains__, known.by_type)
    return [*known.in_table, *map(known.by_predicate.__getitem__, predicates), *map(known.by_type.__getitem__, types)]


@dataclass(frozen=True)
class _Demands:
    """All kinds: those in a table, and those that a change may add, by the type or predicate that indicates them."""

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

    A property may be in thousands of restrictions, very few of which have this predicate. So this reads those with the
    predicate, or those of the property if they are fewer.
    """
    on_property = WORDS.of(graph.table).on_property
    if graph.count(None, demanding) <= graph.count(None, on_property, prop):
        return any(graph.has(node, on_property, prop) for node, _, _ in graph.rows(None, demanding))
    return any(graph.count(node, demanding) for node in graph.subjects(on_property, prop))


#
# An ontology may import one that can be loaded and does not lead back to it. An ontology has several names: its IRI and
# those of its versions. A file can hold the headers of several ontologies, for example one written from a graph that
# was read with its imports, and OWLAPI treats all imports in a file as those of one ontology. So any circle can become
# an ontology that imports itself, which OWLAPI refuses to load.


def _may_import(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first ontology may import the second, which the graph has and which it does not import yet."""
    importer, imported = keys
    if not all(isinstance(graph.term(key), NamedNode) for key in keys):
        return False
    targets = set(_ontologies(graph, imported))
    if not targets:
        return False  # it was not found when the graph was read, and will not be found in the mutant

    def imports(ontology: Key) -> Iterator[Key]:
        names = graph.objects(ontology, graph.key(OWL.imports))
        return (target for name in names for target in _ontologies(graph, name))

    already = set(imports(importer))
    return targets.isdisjoint(already) and importer not in reached(targets, imports)


def _ontologies(graph: Graph, name: Key) -> Iterator[Key]:
    """The ontologies in the graph with this name or with a version of this name."""
    candidates = [name, *graph.subjects(graph.key(OWL.versionIRI), name)]
    return (ontology for ontology in candidates if graph.has(ontology, graph.key(RDF.type), graph.key(OWL.Ontology)))


TESTS: dict[str, Test] = {
    NAMESPACE + "isName": lambda graph, keys: is_own_name(graph, keys[0]),
    NAMESPACE + "isClass": is_class,
    NAMESPACE + "isObjectProperty": is_object_property,
    NAMESPACE + "isDataProperty": is_data_property,
    NAMESPACE + "isSimple": _is_simple,
    NAMESPACE + "mayCompose": _may_compose,
    NAMESPACE + "mayImply": remembered(_may_imply),
    NAMESPACE + "mayHaveRange": _may_have_range,
    NAMESPACE + "mayChain": remembered(_may_chain),
    NAMESPACE + "mayImport": remembered(_may_import),
}
