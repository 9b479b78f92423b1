"""Two graphs from two files as one graph with changes, for checks that look at what has changed."""

from __future__ import annotations

from collections import defaultdict

from kgprobe.graph.canonical import Component, component_fingerprint, components
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, with_blanks

__all__ = ["as_changes"]


def as_changes(graph: Graph, original: Graph) -> Graph:
    """The original with what makes it the graph as its changes.

    Labels of blank nodes mean nothing across files: blank nodes that hang together have changed if the other graph has
    nothing that is the same up to labels.
    """
    ground, blank = components(graph)
    ground_before, blank_before = components(original)
    come, gone = _unmatched(blank, blank_before)
    added = [with_blanks(triple, _as_new) for component in come for triple in component]
    removed = [triple for component in gone for triple in component]
    here, before = set(ground), set(ground_before)
    changed = Graph(original, spelling=original.spelling)
    changed.apply(
        Delta(
            [*(triple for triple in ground_before if triple not in here), *removed],
            [*(triple for triple in ground if triple not in before), *added],
        )
    )
    return changed


def _unmatched(ones: list[Component], others: list[Component]) -> tuple[list[Component], list[Component]]:
    """The components of each side that are left when those that are the same are paired."""
    by_fingerprint: defaultdict[str, list[Component]] = defaultdict(list)
    for component in others:
        by_fingerprint[component_fingerprint(component)].append(component)
    left = []
    for component in ones:
        same = by_fingerprint[component_fingerprint(component)]
        if same:
            same.pop()
        else:
            left.append(component)
    return left, [component for rest in by_fingerprint.values() for component in rest]


def _as_new(node: BlankNode) -> BlankNode:
    return BlankNode(f"new-{node.value}")
