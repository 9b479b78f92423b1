"""Finds blank nodes with the same content in two graphs.

Triples are rows of integers. First, all *lone* blank nodes are compared together by hashes. These are nodes that no
triple connects to another blank node, as in most annotated axioms and restrictions. The others form components. Most
components are trees, such as lists and nested restrictions. Each tree gets a key that does not depend on labels, and
two trees are the same if and only if their keys are equal; this hashes no terms. A component that is not a tree is a
tangle. Tangles are compared by their fingerprints, which takes longer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import cast

import numpy as np

from kgprobe.rdf.canonical import component_fingerprint
from kgprobe.rdf.rows import Numbers, connected_components
from kgprobe.rdf.terms import Term, Triple


def changed_components(terms: Sequence[Term], is_blank: Numbers, old: Numbers, new: Numbers) -> tuple[Numbers, Numbers]:
    """The rows of the components that only `old` has, and of those that only `new` has.

    Every row must have a blank node. Components with the same content are the same, whatever their labels.
    """
    one, other = compared_rows(old, new, is_blank)
    keys = _KeyMaker()
    before, after = (_Components.of(rows.open, is_blank, keys) for rows in (one, other))
    unlike_trees = _unpaired(before.trees, after.trees)
    unlike_tangles = _unlike_tangles(before, after, terms)
    gone = before.rows_of([*unlike_trees[0], *unlike_tangles[0]])
    come = after.rows_of([*unlike_trees[1], *unlike_tangles[1]])
    return np.concatenate((one.different, gone)), np.concatenate((other.different, come))


def with_counterparts(old: Numbers, new: Numbers, is_blank: Numbers) -> Numbers:
    """The new rows, in which a blank node that seems to correspond to an old one gets the number of the old one.

    Every other blank node gets an unused number, from `len(is_blank)` upwards.
    """
    return _renumbered(new, is_blank, _counterparts(old, new, is_blank))


def with_new_blanks(rows: Numbers, is_blank: Numbers) -> Numbers:
    """The rows, in which each blank node gets an unused number, from `len(is_blank)` upwards."""
    return _renumbered(rows, is_blank, {})


def _renumbered(rows: Numbers, is_blank: Numbers, known: Mapping[int, int]) -> Numbers:
    """The rows with the known numbers for blank nodes, and numbers from `len(is_blank)` upwards for the others."""
    nodes = _blank_nodes(rows, is_blank)
    numbers = np.arange(len(is_blank))
    for node, number in known.items():
        numbers[node] = number
    others = np.array([node for node in nodes.tolist() if node not in known], dtype=np.int64)
    numbers[others] = len(is_blank) + np.arange(len(others))
    renamed: Numbers = numbers[rows]
    return renamed


def _unpaired(old: Mapping[int, Hashable], new: Mapping[int, Hashable]) -> tuple[list[int], list[int]]:
    """The components of each side whose key is missing or less frequent on the other side."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for component, key in old.items():
        waiting[key].append(component)
    come = []
    for component, key in new.items():
        if waiting.get(key):
            waiting[key].pop()
        else:
            come.append(component)
    return list(chain.from_iterable(waiting.values())), come


def _unlike_tangles(old: _Components, new: _Components, terms: Sequence[Term]) -> tuple[Sequence[int], Sequence[int]]:
    """The same for tangles. Comparing them is slow, so cheap checks come first."""
    if not (old.tangles and new.tangles):
        return old.tangles, new.tangles
    gone, come = _unpaired(
        *({n: frozenset(map(tuple, side.rows_of([n]).tolist())) for n in side.tangles} for side in (old, new))
    )
    shapes = [
        {n: tuple(sorted(side.rows_of([n])[:, 1].tolist())) for n in left} for side, left in ((old, gone), (new, come))
    ]
    shared = set(shapes[0].values()) & set(shapes[1].values())

    def key(side: _Components, component: int, shape: Hashable) -> Hashable:
        if shape not in shared:
            return shape
        columns = ([terms[number] for number in column] for column in side.rows_of([component]).T.tolist())
        return component_fingerprint(list(map(Triple, *columns)))

    return _unpaired(
        *({n: key(side, n, shape) for n, shape in of.items()} for side, of in zip((old, new), shapes, strict=True))
    )


def _counterparts(old: Numbers, new: Numbers, is_blank: Numbers) -> dict[int, int]:
    """Maps new nodes to old nodes with the same statement, if no other node of either graph has this statement."""
    (old_nodes, old_said), (new_nodes, new_said) = (_said_once(rows, is_blank) for rows in (old, new))
    _, in_old, in_new = np.intersect1d(old_said, new_said, assume_unique=True, return_indices=True)
    shared = Counter(zip(old_nodes[in_old].tolist(), new_nodes[in_new].tolist(), strict=True))
    counterparts: dict[int, int] = {}
    taken: set[int] = set()
    for (before, after), _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if before not in taken and after not in counterparts:
            taken.add(before)
            counterparts[after] = before
    return counterparts


def _said_once(rows: Numbers, is_blank: Numbers) -> tuple[Numbers, Numbers]:
    """Nodes, each with a statement that holds for this node only."""
    nodes, said = _said_about(rows, is_blank)
    once, where, counts = np.unique(said, return_index=True, return_counts=True)
    return nodes[where[counts == 1]], once[counts == 1]


# -- components, with keys for trees -----------------------------------------------------------------------------------


class _KeyMaker(dict[Hashable, int]):
    """Numbers descriptions in the order of their first use. Two graphs that are compared share one instance."""

    def __missing__(self, description: Hashable) -> int:
        number = self[description] = len(self)
        return number


@dataclass(frozen=True)
class _Components:
    """The components of some rows, numbered from 0 in the order of their first nodes."""

    rows: Numbers  # component by component
    starts: Numbers  # where the rows of each component start, and where those of the last one end
    trees: dict[int, int]  # the keys of components that are trees
    tangles: list[int]

    @classmethod
    def of(cls, rows: Numbers, is_blank: Numbers, keys: _KeyMaker) -> _Components:
        """From rows of term numbers that each have a blank node; `is_blank` marks the numbers of blank nodes."""
        from_blank, to_blank = is_blank[rows[:, 0]], is_blank[rows[:, 2]]
        nodes = _blank_nodes(rows, is_blank)
        places = np.zeros(len(is_blank), dtype=np.int64)
        places[nodes] = np.arange(len(nodes))
        edges = rows[from_blank & to_blank]
        edges = np.stack((places[edges[:, 0]], edges[:, 1], places[edges[:, 2]]), axis=1)
        component = connected_components(len(nodes), edges[:, ::2])
        count = int(component.max(initial=-1)) + 1
        own = component[places[np.where(from_blank, rows[:, 0], rows[:, 2])]]
        described, said = _said_about(rows, is_blank)
        trees = _tree_keys(_descriptions(places[described], said, len(nodes), keys), edges, component, count, keys)
        return cls(
            rows[np.argsort(own, kind="stable")],
            np.concatenate(([0], np.cumsum(np.bincount(own, minlength=count)))),
            trees,
            [number for number in range(count) if number not in trees] if len(trees) < count else [],
        )

    def rows_of(self, components: Sequence[int]) -> Numbers:
        """The rows of these components."""
        if len(components) == 1:
            only: Numbers = self.rows[self.starts[components[0]] : self.starts[components[0] + 1]]
            return only
        wanted = np.zeros(len(self.starts) - 1, dtype=bool)
        wanted[components] = True
        several: Numbers = self.rows[np.repeat(wanted, np.diff(self.starts))]
        return several


def _blank_nodes(rows: Numbers, is_blank: Numbers) -> Numbers:
    """The blank nodes of some rows, in ascending order."""
    there = np.zeros(len(is_blank), dtype=bool)
    there[rows[:, 0]] = there[rows[:, 2]] = True
    return np.flatnonzero(there & is_blank)


def _said_about(rows: Numbers, is_blank: Numbers) -> tuple[Numbers, Numbers]:
    """For each row with exactly one blank node: this node, and the rest of the row as one number."""
    from_blank = is_blank[rows[:, 0]]
    single = from_blank != is_blank[rows[:, 2]]
    rows, from_blank = rows[single], from_blank[single]
    other = np.where(from_blank, rows[:, 2], rows[:, 0]).astype(np.uint64)
    said = (rows[:, 1].astype(np.uint64) * 2 + from_blank.astype(np.uint64)) << np.uint64(32) | other
    return np.where(from_blank, rows[:, 0], rows[:, 2]), said


def _descriptions(nodes: Numbers, said: Numbers, count: int, keys: _KeyMaker) -> list[int]:
    """For each node, one number for all its statements without other blank nodes."""
    text = said[np.lexsort((said, nodes))].tobytes()
    bounds = (said.itemsize * np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=count))))).tolist()
    return [keys[text[start:end]] for start, end in pairwise(bounds)]


def _tree_keys(
    descriptions: list[int], edges: Numbers, component: Numbers, count: int, keys: _KeyMaker
) -> dict[int, int]:
    """The key of each component that is a tree, computed from its leaves to its root."""
    if not len(edges):
        return dict(enumerate(descriptions))
    sizes = np.bincount(component, minlength=count)
    is_tree = np.bincount(component[edges[:, 0]], minlength=count) == sizes - 1
    is_tree[component[np.bincount(edges[:, 2], minlength=len(component)) > 1]] = False
    waiting = np.bincount(edges[:, 0], minlength=len(component)).tolist()
    above = {lower: (upper, how) for upper, how, lower in edges.tolist()}
    below: dict[int, list[tuple[int, int]]] = {}
    tree_keys: dict[int, int] = {}
    pending = [node for node in np.flatnonzero(is_tree[component]).tolist() if not waiting[node]]
    while pending:
        node = pending.pop()
        key = descriptions[node]
        if node in below:
            key = keys[key, *sorted(below.pop(node))]
        if node not in above:
            tree_keys[int(component[node])] = key
            continue
        upper, how = above[node]
        below.setdefault(upper, []).append((how, key))
        waiting[upper] -= 1
        if not waiting[upper]:
            pending.append(upper)
    return dict(sorted(tree_keys.items()))


# -- lone blank nodes: no triple connects them to another one ----------------------------------------------------------


@dataclass(frozen=True)
class _Sorted:
    """Rows of nodes that the other graph lacks, and rows still to be compared. All other rows are in both graphs."""

    different: Numbers
    open: Numbers


def compared_rows(old: Numbers, new: Numbers, is_blank: Numbers) -> tuple[_Sorted, _Sorted]:
    """Sort the rows of two graphs by whether the other graph has the same node. Every row must have a blank node."""
    one, other = _LoneNodes(old, is_blank), _LoneNodes(new, is_blank)
    pairs = _pairs(one, other)
    return one.sorted(old, other, pairs[0]), other.sorted(new, one, pairs[1])


class _LoneNodes:
    """The lone nodes of one graph with their statements, in the order of their hashes."""

    def __init__(self, rows: Numbers, is_blank: Numbers) -> None:
        self._is_blank = is_blank
        is_lone = is_blank.copy()
        joined = rows[is_blank[rows[:, 0]] & is_blank[rows[:, 2]]]
        is_lone[joined[:, ::2]] = False
        nodes, said = _said_about(rows, is_blank)
        chosen = is_lone[nodes]
        nodes, said = nodes[chosen], said[chosen]
        order = np.lexsort((said, nodes))
        nodes, self.said = nodes[order], said[order]
        starts = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1])) if len(nodes) else np.zeros(0, dtype=np.int64)
        hashes = np.add.reduceat(_mixed(self.said), starts) if len(starts) else np.zeros(0, dtype=np.uint64)
        by_hash = np.argsort(hashes, kind="stable")
        self.hashes, self.nodes, self.starts = hashes[by_hash], nodes[starts][by_hash], starts[by_hash]
        self.sizes = np.diff(np.append(starts, len(nodes)))[by_hash]

    def sorted(self, rows: Numbers, others: _LoneNodes, is_paired: Numbers) -> _Sorted:
        """The rows of this graph, sorted. `is_paired` marks the nodes that have a partner among the others."""
        left, right = (np.searchsorted(others.hashes, self.hashes, side) for side in ("left", "right"))
        state = np.zeros(len(self._is_blank), dtype=np.int8)
        state[self.nodes[left == right]] = 1
        state[self.nodes[is_paired]] = 2
        of_rows = state[np.where(self._is_blank[rows[:, 0]], rows[:, 0], rows[:, 2])]
        return _Sorted(rows[of_rows == 1], rows[of_rows == 0])


def _pairs(one: _LoneNodes, other: _LoneNodes) -> tuple[Numbers, Numbers]:
    """Which nodes of each side have a partner. The first nodes with the same hash are partners, then the second, …"""
    first = np.searchsorted(other.hashes, other.hashes, "left")
    left, right = (np.searchsorted(one.hashes, other.hashes, side) for side in ("left", "right"))
    partner = left + np.arange(len(first)) - first
    places = np.flatnonzero(partner < right)
    places = places[_same(one, partner[places], other, places)]
    is_paired = np.zeros(len(one.nodes), dtype=bool), np.zeros(len(other.nodes), dtype=bool)
    is_paired[0][partner[places]] = True
    is_paired[1][places] = True
    return is_paired


def _same(one: _LoneNodes, ones: Numbers, other: _LoneNodes, others: Numbers) -> Numbers:
    """Whether the nodes at these positions of one side and of the other have the same statements."""
    is_same = one.sizes[ones] == other.sizes[others]
    ones, others = ones[is_same], others[is_same]
    sizes = one.sizes[ones]
    ends = np.cumsum(sizes)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    differs = (
        one.said[np.repeat(one.starts[ones], sizes) + within]
        != other.said[np.repeat(other.starts[others], sizes) + within]
    )
    if len(ends):
        is_same[is_same] = ~np.logical_or.reduceat(differs, ends - sizes)
    return cast(Numbers, is_same)


def _mixed(numbers: Numbers) -> Numbers:
    """Numbers whose bits depend on all bits of the given numbers: a step of splitmix64, which also changes 0."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return cast(Numbers, mixed)
