"""Nodes that go, or that others take the place of, in all triples that they are in.

A template of SPARQL Update names its triples one by one; how many there are of a node, nobody knows beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.pattern import Filter, Variable
from kgprobe.graph.terms import Literal, NamedNode
from kgprobe.mutation.pins import Pins

__all__ = ["NodeChanges"]


class NodeChanges:
    """What is done to nodes as a whole: variables whose values go, and pairs of an old one and a new one."""

    def __init__(self, deleted: Sequence[str], replaced: Sequence[tuple[str, str]]) -> None:
        self._deleted = tuple(deleted)
        self._replaced = tuple(replaced)

    def __bool__(self) -> bool:
        return bool(self._deleted or self._replaced)

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables that are named."""
        return (*self._deleted, *(name for pair in self._replaced for name in pair))

    def change(self, graph: Graph, binding: Mapping[str, Key]) -> tuple[list[KeyTriple], list[KeyTriple]] | None:
        """The triples that go and those that come; None if one of these is none that RDF has."""
        names = {binding[old]: binding[new] for old, new in self._replaced if old in binding and new in binding}
        go = dict.fromkeys(row for name in self._deleted if name in binding for row in _rows(graph, binding[name]))
        come: dict[KeyTriple, None] = {}
        for old in names:
            for row in _rows(graph, old):
                s, p, o = (names.get(key, key) for key in row)
                if isinstance(graph.term(s), Literal) or not isinstance(graph.term(p), NamedNode):
                    return None
                if row not in go:
                    come[s, p, o] = None
        go.update(dict.fromkeys(row for old in names for row in _rows(graph, old)))
        return list(go), list(come)

    def filters(self, pins: Pins, later: Collection[str]) -> list[Filter]:
        """Conditions that keep away nodes with triples that are pinned. Values that come later cannot be judged."""
        going = dict.fromkeys((*self._deleted, *(old for old, _ in self._replaced)))
        return [Filter((Variable(name),), _is_free(pins)) for name in going if pins.are_any and name not in later]


def _is_free(pins: Pins) -> Callable[[Graph, tuple[Key, ...]], bool]:
    def holds(graph: Graph, keys: tuple[Key, ...]) -> bool:
        return pins.allow(graph, _rows(graph, keys[0]))

    return holds


def _rows(graph: Graph, node: Key) -> list[KeyTriple]:
    """All triples that a node is in, in whichever place."""
    places = (graph.about(node), graph.rows(None, node), graph.to(node))
    return list(dict.fromkeys(row for rows in places for row in rows))
