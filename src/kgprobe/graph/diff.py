"""The change from one graph to another, where the same blank node may have two names."""

from __future__ import annotations

import itertools
from collections import defaultdict

from kgprobe.graph.canonical import Component, component_fingerprint, components
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Triple, with_blanks

__all__ = ["diff"]


def diff(old: Graph, new: Graph) -> Delta:
    """A delta that makes of `old` a graph isomorphic to `new`.

    Two ways to match blank nodes are tried, and the one that changes less is taken: by label, which is right when one
    graph was made from the other; and by component, which is right when they come from different files.
    """
    by_label = Delta(
        removed=[triple for triple in old if triple not in new],
        added=[triple for triple in new if triple not in old],
    )
    if not any(map(_has_blank, by_label.removed + by_label.added)):
        return by_label
    return min(by_label, _by_component(old, new), key=len)


def _by_component(old: Graph, new: Graph) -> Delta:
    old_ground, old_blank = components(old)
    new_ground, new_blank = components(new)
    unmatched: dict[str, list[Component]] = defaultdict(list)
    for component in old_blank:
        unmatched[component_fingerprint(component)].append(component)
    added: list[Triple] = [triple for triple in new_ground if triple not in old]
    free = (label for label in (BlankNode(f"d{n}") for n in itertools.count()) if not old.mentions(label))
    for component in new_blank:
        same = unmatched[component_fingerprint(component)]
        if same:
            same.pop()
            continue
        names: dict[BlankNode, BlankNode] = defaultdict(lambda: next(free))
        added += [with_blanks(triple, names.__getitem__) for triple in component]
    removed = [triple for triple in old_ground if triple not in new]
    removed += itertools.chain.from_iterable(itertools.chain.from_iterable(unmatched.values()))
    return Delta(removed, added)


def _has_blank(triple: Triple) -> bool:
    return isinstance(triple.subject, BlankNode) or isinstance(triple.object, BlankNode)
