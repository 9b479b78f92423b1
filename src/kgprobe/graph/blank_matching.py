"""Which blank nodes of two graphs are the same, by what the graphs say about them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain

import numpy as np

from kgprobe.graph.blank_components import BlankComponents, KeyMaker, blank_nodes, said_about
from kgprobe.graph.canonical import component_fingerprint
from kgprobe.graph.lone_nodes import sorted_out
from kgprobe.graph.rows import Numbers
from kgprobe.graph.terms import Term, Triple

__all__ = ["changed_components", "with_counterparts", "with_new_blanks"]


def changed_components(terms: Sequence[Term], is_blank: Numbers, old: Numbers, new: Numbers) -> tuple[Numbers, Numbers]:
    """The rows of the components that only `old` has, and of those that only `new` has.

    All rows given have a blank node; components with the same content are the same, whatever their labels.
    """
    one, other = sorted_out(old, new, is_blank)
    keys = KeyMaker()
    before, after = (BlankComponents.of(each.open, is_blank, keys) for each in (one, other))
    unlike_trees = _unpaired(before.trees, after.trees)
    unlike_tangles = _unlike_tangles(before, after, terms)
    gone = before.rows_of([*unlike_trees[0], *unlike_tangles[0]])
    come = after.rows_of([*unlike_trees[1], *unlike_tangles[1]])
    return np.concatenate((one.different, gone)), np.concatenate((other.different, come))


def with_counterparts(old: Numbers, new: Numbers, is_blank: Numbers) -> Numbers:
    """The new rows, where a blank node that seems to be one of the old rows has its number.

    Each other blank node has a number that is no term's: `len(is_blank)` and onwards.
    """
    return _renumbered(new, is_blank, _counterparts(old, new, is_blank))


def with_new_blanks(rows: Numbers, is_blank: Numbers) -> Numbers:
    """The rows, where each blank node has a number that is no term's."""
    return _renumbered(rows, is_blank, {})


def _renumbered(rows: Numbers, is_blank: Numbers, known: Mapping[int, int]) -> Numbers:
    """The rows with the known numbers for blank nodes, and numbers from `len(is_blank)` on for the others."""
    nodes = blank_nodes(rows, is_blank)
    numbers = np.arange(len(is_blank))
    for node, number in known.items():
        numbers[node] = number
    others = np.array([node for node in nodes.tolist() if node not in known], dtype=np.int64)
    numbers[others] = len(is_blank) + np.arange(len(others))
    renamed: Numbers = numbers[rows]
    return renamed


def _unpaired(old: Mapping[int, Hashable], new: Mapping[int, Hashable]) -> tuple[list[int], list[int]]:
    """The components of each whose key the other has not, or has fewer times."""
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


def _unlike_tangles(
    old: BlankComponents, new: BlankComponents, terms: Sequence[Term]
) -> tuple[Sequence[int], Sequence[int]]:
    """The same for components that are no trees. They take long to compare, so the easy answers come first."""
    if not (old.tangles and new.tangles):
        return old.tangles, new.tangles
    gone, come = _unpaired(
        *({n: frozenset(map(tuple, side.rows_of([n]).tolist())) for n in side.tangles} for side in (old, new))
    )
    shapes = [
        {n: tuple(sorted(side.rows_of([n])[:, 1].tolist())) for n in left} for side, left in ((old, gone), (new, come))
    ]
    shared = set(shapes[0].values()) & set(shapes[1].values())

    def key(side: BlankComponents, component: int, shape: Hashable) -> Hashable:
        if shape not in shared:
            return shape
        columns = ([terms[number] for number in column] for column in side.rows_of([component]).T.tolist())
        return component_fingerprint(list(map(Triple, *columns)))

    return _unpaired(
        *({n: key(side, n, shape) for n, shape in of.items()} for side, of in zip((old, new), shapes, strict=True))
    )


def _counterparts(old: Numbers, new: Numbers, is_blank: Numbers) -> dict[int, int]:
    """For new nodes, the old ones with which they share something that is said of no others."""
    (old_nodes, old_said), (new_nodes, new_said) = (_said_once(rows, is_blank) for rows in (old, new))
    _, in_old, in_new = np.intersect1d(old_said, new_said, assume_unique=True, return_indices=True)
    shared = Counter(zip(old_nodes[in_old].tolist(), new_nodes[in_new].tolist(), strict=True))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (before, after), _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if before not in taken and after not in found:
            taken.add(before)
            found[after] = before
    return found


def _said_once(rows: Numbers, is_blank: Numbers) -> tuple[Numbers, Numbers]:
    """Nodes, and what is said about this node and no other."""
    nodes, said = said_about(rows, is_blank)
    once, where, counts = np.unique(said, return_index=True, return_counts=True)
    return nodes[where[counts == 1]], once[counts == 1]
