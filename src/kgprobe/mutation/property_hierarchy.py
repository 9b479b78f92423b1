"""The object properties above a property, below it, or after it in the order that property chains need.

Operators ask about the same few properties again and again, and most changes to a graph do not concern them. So the
answers are cached: for the graph as it was loaded, and for the last state of the triples that the answers depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key, KeyTriple, TripleTable
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode

__all__ = ["WORDS", "above", "below", "has_chains", "later", "lists_with", "past_chains"]

# From a property to the next ones.
_Step: TypeAlias = Callable[[Graph, Key], Iterable[Key]]
_Closures: TypeAlias = dict[tuple[_Step, Key], dict[Key, None]]
_Find: TypeAlias = Callable[[Graph], _Closures]

# The number of properties cached in all closures of the loaded graph: thousands may be equivalent to each other.
_MOST_KEPT = 100_000
# Their sizes are counted once this number of closures is reached.
_FEW = 100


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


_NAMES = (
    *(RDF.type, OWL.TransitiveProperty, RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf),
    *(OWL.propertyChainAxiom, RDFS.range, OWL.onProperty, RDF.first, RDF.rest),
)

WORDS = PerTable(lambda table: _Words(*map(table.key, _NAMES)))


class _Known:
    """Closures in graphs of one table that agree in all triples with some predicates."""

    def __init__(self, table: TripleTable, predicates: Iterable[NamedNode]) -> None:
        self._predicates = list(map(table.key, predicates))
        self._as_loaded: _Closures = {}
        self._enough = _FEW
        self._last: tuple[list[KeyTriple], _Closures] = ([], {})

    def closures(self, graph: Graph) -> _Closures:
        changed = [keys for predicate in self._predicates for keys in graph.changes_with(predicate)]
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
    closures = graph.found(find)
    found = closures.get((step, start))
    if found is None:
        found, waiting = {start: None}, [start]
        while waiting:
            for each in step(graph, waiting.pop()):
                if each not in found:
                    found[each] = None
                    waiting.append(each)
        closures[step, start] = found
    return found


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


_HIERARCHY = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf)
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
    closures = graph.found(_in_chains_too)
    found = closures.get((past_chains, prop))
    if found is None:
        through = dict.fromkeys(after for each in above(graph, prop) for after in _implied_in_chains(graph, each))
        found = closures[past_chains, prop] = dict.fromkeys(each for start in through for each in later(graph, start))
    return found


def has_chains(graph: Graph) -> bool:
    """Whether a chain implies anything here."""
    return graph.found(_count_chains) > 0


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
