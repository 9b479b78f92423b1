"""Blank nodes that hang together, as rows of integers, each such component with a key that does not depend on labels.

Most components are a single blank node, or a tree of them: an annotated axiom, a restriction, a list. Two of these say
the same exactly if their keys are equal, and making the keys hashes no term. A component that is no tree is a tangle,
and has no key.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kgprobe.graph.rows import Numbers

__all__ = ["BlankComponents", "KeyMaker", "blank_nodes", "said_about"]


class KeyMaker(dict[Hashable, int]):
    """Numbers descriptions in the order in which they are first seen. Graphs that are compared share one."""

    def __missing__(self, description: Hashable) -> int:
        number = self[description] = len(self)
        return number


@dataclass(frozen=True)
class BlankComponents:
    """The components of some rows, numbered from 0 on in the order of the first of their nodes."""

    rows: Numbers  # component by component
    starts: Numbers  # where the rows of each component start, and where the last of all end
    trees: dict[int, int]  # the keys of components that are trees
    tangles: list[int]

    @classmethod
    def of(cls, rows: Numbers, is_blank: Numbers, keys: KeyMaker) -> BlankComponents:
        """From rows of term numbers that all have a blank node; `is_blank` says which numbers are blank nodes."""
        from_blank, to_blank = is_blank[rows[:, 0]], is_blank[rows[:, 2]]
        nodes = blank_nodes(rows, is_blank)
        places = np.zeros(len(is_blank), dtype=np.int64)
        places[nodes] = np.arange(len(nodes))
        edges = rows[from_blank & to_blank]
        edges = np.stack((places[edges[:, 0]], edges[:, 1], places[edges[:, 2]]), axis=1)
        component = _joined(len(nodes), edges)
        count = int(component.max(initial=-1)) + 1
        own = component[places[np.where(from_blank, rows[:, 0], rows[:, 2])]]
        described, said = said_about(rows, is_blank)
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


def blank_nodes(rows: Numbers, is_blank: Numbers) -> Numbers:
    """The blank nodes of some rows, in order."""
    there = np.zeros(len(is_blank), dtype=bool)
    there[rows[:, 0]] = there[rows[:, 2]] = True
    return np.flatnonzero(there & is_blank)


def said_about(rows: Numbers, is_blank: Numbers) -> tuple[Numbers, Numbers]:
    """For each row with one blank node, this node, and what the row says about it as one number."""
    from_blank = is_blank[rows[:, 0]]
    single = from_blank != is_blank[rows[:, 2]]
    rows, from_blank = rows[single], from_blank[single]
    other = np.where(from_blank, rows[:, 2], rows[:, 0]).astype(np.uint64)
    said = (rows[:, 1].astype(np.uint64) * 2 + from_blank.astype(np.uint64)) << np.uint64(32) | other
    return np.where(from_blank, rows[:, 0], rows[:, 2]), said


def _joined(count: int, edges: Numbers) -> Numbers:
    """The component of each node; an edge joins the nodes of its first and last column."""
    leader = np.arange(count)
    while True:
        # Each leader takes the smallest leader that an edge leads to; then everybody follows the leader's leader.
        leaders = leader[edges[:, ::2]]
        smallest = leaders.min(axis=1, initial=count)
        if (leaders == smallest[:, None]).all():
            return (np.cumsum(leader == np.arange(count)) - 1)[leader]
        np.minimum.at(leader, leaders[:, 0], smallest)
        np.minimum.at(leader, leaders[:, 1], smallest)
        while ((further := leader[leader]) != leader).any():
            leader = further


def _descriptions(nodes: Numbers, said: Numbers, count: int, keys: KeyMaker) -> list[int]:
    """For each node, the number of all that is said about it without speaking of blank nodes."""
    text = said[np.lexsort((said, nodes))].tobytes()
    bounds = (said.itemsize * np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=count))))).tolist()
    return [keys[text[start:end]] for start, end in pairwise(bounds)]


def _tree_keys(
    descriptions: list[int], edges: Numbers, component: Numbers, count: int, keys: KeyMaker
) -> dict[int, int]:
    """The key of each component that is a tree, made from its leaves to its root."""
    if not len(edges):
        return dict(enumerate(descriptions))
    sizes = np.bincount(component, minlength=count)
    is_tree = np.bincount(component[edges[:, 0]], minlength=count) == sizes - 1
    is_tree[component[np.bincount(edges[:, 2], minlength=len(component)) > 1]] = False
    waiting = np.bincount(edges[:, 0], minlength=len(component)).tolist()
    above = {lower: (upper, how) for upper, how, lower in edges.tolist()}
    below: dict[int, list[tuple[int, int]]] = {}
    found: dict[int, int] = {}
    pending = [node for node in np.flatnonzero(is_tree[component]).tolist() if not waiting[node]]
    while pending:
        node = pending.pop()
        key = descriptions[node]
        if node in below:
            key = keys[key, *sorted(below.pop(node))]
        if node not in above:
            found[int(component[node])] = key
            continue
        upper, how = above[node]
        below.setdefault(upper, []).append((how, key))
        waiting[upper] -= 1
        if not waiting[upper]:
            pending.append(upper)
    return dict(sorted(found.items()))
