"""Which axioms an operator may add without taking an ontology out of OWL 2 DL or EL.

A FILTER can ask these questions by IRIs in kgprobe's namespace. The rules are those of section 11 of the structural
specification of OWL 2, and of section 2.2.6 of "OWL 2 Profiles": they concern the object properties of an ontology as
a whole. A question reads only the property hierarchy around its arguments, even in a large graph. As a consequence,
some answers are "no" where "yes" would be right:

- A property and its inverse count as one.
- A range that is an expression counts as different from all ranges of other properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.filters import Test, remembered
from kgprobe.graph.table import Key, TripleTable
from kgprobe.graph.terms import OWL, RDF, BlankNode, NamedNode
from kgprobe.mutation.entity_rules import is_class, is_data_property, is_object_property
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.mutation.property_hierarchy import WORDS, above, below, has_chains, later, lists_with, past_chains

__all__ = ["TESTS"]

# Never simple, regardless of the axioms.
_EXTREMES = (OWL.topObjectProperty, OWL.bottomObjectProperty)


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
    if _is_implied_by_chain(graph, lower) and any(_ranges(graph, each) for each in above(graph, upper)):
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
    imposed = [each for upper in above(graph, implied) for each in _ranges(graph, upper)]
    if imposed:
        known = _ranges(graph, second)
        if any(each not in known or isinstance(graph.term(each), BlankNode) for each in imposed):
            return False
    # The implied property may be at one end of the chain. No other property after it in the order may be in the chain.
    after = later(graph, implied)
    return not any(each in after for each in (first, second) if each != implied)


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


# -- axioms that require an object property to be simple: neither a chain nor a transitive property implies it ---------

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
    """One kind of axiom that requires simplicity: a type, a restriction, disjointness."""

    key: Key  # the type, or the predicate
    test: Callable[[Graph, Key, Key], bool]

    def is_on(self, graph: Graph, prop: Key) -> bool:
        return self.test(graph, prop, self.key)


def _must_be_simple(graph: Graph, prop: Key) -> bool:
    """Whether an axiom requires this property, or one that it implies, to be simple."""
    return bool(graph.found(_demands_in)) and _is_demanded(graph, (prop,))


@remembered
def _is_demanded(graph: Graph, keys: tuple[Key, ...]) -> bool:
    demands = graph.found(_demands_in)
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


# -- imports -----------------------------------------------------------------------------------------------------------
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
    already = {each for name in _imports(graph, importer) for each in _ontologies(graph, name)}
    return targets.isdisjoint(already) and importer not in _reachable(graph, targets)


def _reachable(graph: Graph, ontologies: set[Key]) -> set[Key]:
    """The ontologies themselves, and all their imports, direct or indirect."""
    found = set(ontologies)
    pending = list(ontologies)
    while pending:
        for name in _imports(graph, pending.pop()):
            new = set(_ontologies(graph, name)) - found
            found |= new
            pending += new
    return found


def _imports(graph: Graph, ontology: Key) -> Iterator[Key]:
    return iter(graph.objects(ontology, graph.key(OWL.imports)))


def _ontologies(graph: Graph, name: Key) -> Iterator[Key]:
    """The ontologies in the graph with this name or with a version of this name."""
    candidates = [name, *graph.subjects(graph.key(OWL.versionIRI), name)]
    return (each for each in candidates if graph.has(each, graph.key(RDF.type), graph.key(OWL.Ontology)))


TESTS: dict[str, Test] = {
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
