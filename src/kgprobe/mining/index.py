"""A graph as numbers: its relations in both directions, and the sets of nodes that constants define.

A relation is a predicate in one direction: relation 2p holds from subject to object of predicate p, relation 2p + 1
from object to subject. An item is a relation and a constant; its set has the nodes with this relation to the constant:
the matches of an atom with one variable. Many items have the same set, for example `x rdf:type ?a` for all x of one
type, so searches work on sets.

Relations and sets are `Lists`: sorted lists of numbers, one after the other in an array. Joins with them take bounded
memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.triple_columns import BLANK, Columns
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["CONSTANTS", "is_of_vocabulary"]


Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
_Number = TypeVar("_Number", np.int64, np.uint64)

MOST_ROWS = 1 << 20
"""A join makes about this many rows at a time."""


@dataclass(frozen=True)
class Lists:
    """List i is `values[start[i]:start[i + 1]]`."""

    start: Numbers
    values: Numbers

    @classmethod
    def of(cls, keys: Numbers, values: Numbers, number: int) -> Self:
        """The lists of the values with keys 0, 1, … The keys are sorted."""
        return cls(starts_of(keys, number), values)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, place: int) -> Numbers:
        return self.values[self.start[place] : self.start[place + 1]]

    @cached_property
    def sizes(self) -> Numbers:
        """The length of each list."""
        return np.diff(self.start)

    def expanded(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The values of the lists at some places, and for each value the index of its place among `places`."""
        starts = self.start[places]
        counts = self.start[places + 1] - starts
        return self.values[_ranges(starts, counts)], np.repeat(np.arange(len(places)), counts)

    def sums(self, weights: NDArray[_Number]) -> NDArray[_Number]:
        """For each list, the sum of the weights of its values; `weights` has one for each value that there can be."""
        return self.totals(weights[self.values])

    def totals(self, weights: NDArray[_Number]) -> NDArray[_Number]:
        """For each list, the sum of the weights at its places."""
        running = np.zeros(len(self.values) + 1, dtype=weights.dtype)
        np.cumsum(weights, out=running[1:])
        return running[self.start[1:]] - running[self.start[:-1]]

    def only(self, keep: Flags) -> Lists:
        """The same lists with only those values for which `keep` is true."""
        kept = keep[self.values]
        running = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(kept, out=running[1:])
        return Lists(running[self.start], self.values[kept])

    def at(self, places: Numbers) -> Lists:
        """The lists at some places."""
        sizes = self.start[places + 1] - self.start[places]
        start = np.zeros(len(places) + 1, dtype=np.int64)
        np.cumsum(sizes, out=start[1:])
        return Lists(start, self.values[_ranges(self.start[places], sizes)])

    def keys(self) -> Numbers:
        """For each value, the number of its list."""
        return np.repeat(np.arange(len(self)), self.sizes)


def starts_of(keys: Numbers, number: int) -> Numbers:
    """Where each of the keys 0, 1, … starts in a sorted array, and its end."""
    return np.searchsorted(keys, np.arange(number + 1)).astype(np.int64)


def chunks(sizes: Numbers, most: int = MOST_ROWS) -> Iterator[slice]:
    """Slices of consecutive places whose sizes add up to at most `most`, or that have one place only."""
    total = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, done + most, side="right")))
        yield slice(begin, end)
        begin = end


def counted(codes: Numbers, bound: int) -> tuple[Numbers, Numbers]:
    """The distinct codes, in order, and how often each occurs. All codes are below `bound`."""
    if bound <= 4 * len(codes) + 1024:
        counts = np.bincount(codes, minlength=1)
        present = np.flatnonzero(counts)
        return present, counts[present].astype(np.int64)
    codes = np.sort(codes)
    first = _firsts(codes)
    places = np.flatnonzero(first)
    return codes[places], np.diff(places, append=len(codes))


def merged(parts: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Codes and how often each occurs, from parts that were counted."""
    if len(parts) == 1:
        return parts[0]
    codes, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    starts = np.flatnonzero(_firsts(codes))
    return codes[starts], np.add.reduceat(counts[order], starts) if len(starts) else counts


def distinct(codes: Numbers) -> Numbers:
    """The distinct codes, in order."""
    codes = np.sort(codes)
    return codes[_firsts(codes)]


def _firsts(codes: Numbers) -> Flags:
    first = np.ones(len(codes), dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=first[1:])
    return first


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


# -- a graph as such lists ---------------------------------------------------------------------------------------------

_NAMESPACES = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)


def is_of_vocabulary(term: Term) -> bool:
    """Whether a term is a name of RDF, RDFS, OWL or XSD, or a literal whose datatype is."""
    if isinstance(term, Literal):
        return term.datatype.value.startswith(_NAMESPACES)
    return isinstance(term, NamedNode) and term.value.startswith(_NAMESPACES)


CONSTANTS = ("all", "objects", "none")
"""Where rules may have constants: anywhere, as objects only, or nowhere (except for predicates)."""


_MOST_PLACES = 1 << 24


@dataclass(frozen=True)
class Relation:
    """The pairs (x, y) of a relation, sorted. `domain` has the x, and `ys` lists the y of each of them.

    `places` has the place of each node in the domain, or -1. It is missing if a graph has so many relations and nodes
    that these arrays would take too much memory.
    """

    x: Numbers
    y: Numbers
    domain: Numbers
    ys: Lists
    places: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, x: Numbers, y: Numbers, nodes: int | None = None) -> Relation:
        """The relation with these pairs, which are sorted. With a number of nodes, it has their places."""
        starts = np.flatnonzero(np.diff(x, prepend=-1))
        domain, ys = x[starts], Lists(np.append(starts, len(x)), y)
        if nodes is None:
            return cls(x, y, domain, ys)
        return cls(x, y, domain, ys, _places_of(domain, nodes))

    def __len__(self) -> int:
        return len(self.x)

    @property
    def is_functional(self) -> bool:
        """Whether no x has two y."""
        return len(self.domain) == len(self.x)

    def degrees_of(self, nodes: Numbers) -> Numbers:
        """How many y each of the nodes has."""
        places, known = self._places(nodes)
        return np.where(known, self.ys.start[places + 1] - self.ys.start[places], 0)

    def holds_for(self, nodes: Numbers) -> Flags:
        """Which of the nodes have a y."""
        return self._places(nodes)[1]

    def expanded(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """All y of the nodes, and for each the index of its node among `nodes`."""
        places, known = self._places(nodes)
        among = np.flatnonzero(known)
        values, place = self.ys.expanded(places[among])
        return values, among[place]

    def of_node(self, node: int) -> Numbers:
        """The y of one node."""
        place = int(np.searchsorted(self.domain, node))
        return self.ys[place] if place < len(self.domain) and self.domain[place] == node else self.y[:0]

    def _places(self, nodes: Numbers) -> tuple[Numbers, Flags]:
        """Where the nodes are in the domain, and which of them are there at all. No domain is empty."""
        if self.places is not None:
            numbers = self.places[nodes]
            return np.maximum(numbers, 0).astype(np.int64), numbers >= 0
        places = np.minimum(np.searchsorted(self.domain, nodes), len(self.domain) - 1)
        return places, self.domain[places] == nodes


@dataclass(frozen=True)
class Sets:
    """The distinct sets of items. `members` lists the nodes of each, `of_node` the sets of each node.

    `items` lists the items of each set; item i is the relation `relation[i]` to the node `constant[i]`.
    """

    members: Lists
    of_node: Lists
    items: Lists
    relation: Numbers
    constant: Numbers

    @cached_property
    def sizes(self) -> Numbers:
        """The number of nodes in each set."""
        return self.members.sizes

    @cached_property
    def pairs_of_items(self) -> list[tuple[int, int]]:
        """The relation and the constant of each item. A list is faster where items are looked up one by one."""
        return list(zip(self.relation.tolist(), self.constant.tolist(), strict=True))


@dataclass(frozen=True)
class Pairs:
    """All pairs of nodes that have a relation. `relations` lists the relations of each."""

    codes: Numbers
    relations: Lists
    nodes: int

    def places(self, codes: Numbers) -> tuple[Numbers, Flags]:
        """Where these pairs are, and which of them there are at all."""
        if self._by_code is not None:
            numbers = self._by_code[codes]
            return np.maximum(numbers, 0).astype(np.int64), numbers >= 0
        if not len(self.codes):
            return np.zeros(len(codes), dtype=np.int64), np.zeros(len(codes), dtype=bool)
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return places, self.codes[places] == codes

    @cached_property
    def _by_code(self) -> NDArray[np.int32] | None:
        """The place of each code, or -1, in graphs with so few nodes that this does not take too much memory."""
        if self.nodes**2 > _MOST_PLACES:
            return None
        return _places_of(self.codes, self.nodes**2)


class Index:
    """What searches for rules need to know about a graph."""

    def __init__(self, graph: Graph, *, constants: str = "all", vocabulary_only: bool = False) -> None:
        """With `vocabulary_only`, predicates and constants are names of RDF, RDFS, OWL and XSD."""
        columns = Columns(graph)
        self.terms: Sequence[Term] = columns.terms
        self.nodes = len(columns.terms)
        predicates = (term for term in columns.predicates() if not vocabulary_only or is_of_vocabulary(term))
        self.predicates: list[NamedNode] = sorted(predicates, key=lambda term: term.value)
        self.relations: list[Relation] = []
        for predicate in self.predicates:
            subjects, objects = columns.of(predicate)
            self.relations += (self._relation(subjects, objects), self._relation(objects, subjects))
        self._columns = columns
        self._constants = constants
        self._vocabulary_only = vocabulary_only

    def _relation(self, x: Numbers, y: Numbers) -> Relation:
        codes = np.sort(x * self.nodes + y)
        is_small = 2 * len(self.predicates) * self.nodes <= _MOST_PLACES
        return Relation.of(*np.divmod(codes, self.nodes), nodes=self.nodes if is_small else None)

    @cached_property
    def sets(self) -> Sets:
        """The sets of all items. Blank nodes are no constants: outside of their graph, they have no meaning."""
        allowed = {"all": range(len(self.relations)), "objects": range(0, len(self.relations), 2), "none": range(0)}
        parts = [self._items(number) for number in allowed[self._constants]]
        relations = _concatenated([np.full(len(constants), number) for number, constants, _ in parts])
        constants = _concatenated([constants for _, constants, _ in parts])
        nodes = _concatenated([lists.values for _, _, lists in parts])
        sizes = _concatenated([lists.sizes for _, _, lists in parts])
        return self._grouped(relations, constants, Lists(np.concatenate(([0], np.cumsum(sizes))), nodes))

    def _items(self, number: int) -> tuple[int, Numbers, Lists]:
        """The constants to which nodes have this relation, and these nodes."""
        inverse = self.relations[number ^ 1]
        named = np.flatnonzero(self._are_names(inverse.domain))
        return number, inverse.domain[named], inverse.ys.at(named)

    def _are_names(self, nodes: Numbers) -> Flags:
        if self._vocabulary_only:
            terms = self.terms
            return np.array([is_of_vocabulary(terms[node]) for node in nodes.tolist()], dtype=bool)
        return ~self._columns.are(BLANK, nodes)

    def _grouped(self, relations: Numbers, constants: Numbers, members: Lists) -> Sets:
        # Equal sets have equal sums of the random numbers of their nodes. Two sums of 64 bits differ for other sets.
        random = np.random.default_rng(2026)
        sums = [members.sums(random.integers(0, 2**63, self.nodes, dtype=np.uint64)) for _ in range(2)]
        order = np.lexsort((np.arange(len(members)), *sums, members.sizes))
        keys = np.stack([members.sizes.astype(np.uint64), *sums], axis=1)[order]
        is_new = np.ones(len(order), dtype=bool)
        if len(order):
            is_new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
        group = np.cumsum(is_new) - 1
        distinct_members = members.at(order[is_new])
        number = int(is_new.sum())
        nodes = distinct_members.values
        by_node = np.argsort(nodes, kind="stable")
        of_node = Lists.of(nodes[by_node], distinct_members.keys()[by_node], self.nodes)
        return Sets(distinct_members, of_node, Lists(starts_of(group, number), order), relations, constants)

    def is_fact(self, relation: int) -> Flags:
        """Which sets have one node only, such that it may be a constant in place of the variable.

        An atom whose variable is in such a set says nothing but what this node is.
        """
        if self._constants == "none" or (self._constants == "objects" and relation % 2):
            return np.zeros(len(self.sets.sizes), dtype=bool)
        return self._names_alone

    @cached_property
    def _names_alone(self) -> Flags:
        """Which sets have one node only, which may be a constant."""
        single = np.flatnonzero(self.sets.sizes == 1)
        is_alone = np.zeros(len(self.sets.sizes), dtype=bool)
        is_alone[single] = self._are_names(self.sets.members.values[self.sets.members.start[single]])
        return is_alone

    def pairs_from_sets(self, relation: int) -> tuple[Numbers, Numbers]:
        """The sets with a node that has this relation, and how many pairs of the relation start in each."""
        of_relation = self.relations[relation]
        sets, place = self.sets.of_node.expanded(of_relation.domain)
        order = np.argsort(sets, kind="stable")
        sets, degrees = sets[order], of_relation.ys.sizes[place[order]]
        starts = np.flatnonzero(np.diff(sets, prepend=-1))
        return sets[starts], np.add.reduceat(degrees, starts) if len(starts) else starts

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of all relations."""
        codes = _concatenated([relation.x * self.nodes + relation.y for relation in self.relations])
        numbers = np.repeat(np.arange(len(self.relations)), [len(relation) for relation in self.relations])
        order = np.argsort(codes, kind="stable")
        codes, numbers = codes[order], numbers[order]
        is_new = np.ones(len(codes), dtype=bool)
        is_new[1:] = codes[1:] != codes[:-1]
        places = np.flatnonzero(is_new)
        return Pairs(codes[places], Lists(np.append(places, len(codes)), numbers), self.nodes)

    @cached_property
    def relations_of_nodes(self) -> Lists:
        """The relations of each node to any other."""
        nodes = _concatenated([relation.domain for relation in self.relations])
        numbers = np.repeat(np.arange(len(self.relations)), [len(relation.domain) for relation in self.relations])
        order = np.argsort(nodes, kind="stable")
        return Lists.of(nodes[order], numbers[order], self.nodes)

    def has(self, relation: int, x: int, y: int) -> bool:
        """Whether this relation holds from x to y."""
        ys = self.relations[relation].of_node(x)
        place = int(np.searchsorted(ys, y))
        return place < len(ys) and int(ys[place]) == y


def _concatenated(parts: list[Numbers]) -> Numbers:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)


def _places_of(numbers: Numbers, bound: int) -> NDArray[np.int32]:
    """For each number below the bound, its place among the given ones, or -1."""
    places = np.full(bound, -1, dtype=np.int32)
    places[numbers] = np.arange(len(numbers))
    return places
