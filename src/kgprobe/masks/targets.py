"""The nodes that a shape is about, in a table and after changes to it."""

from __future__ import annotations

from collections.abc import Iterable

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, RDFS
from kgprobe.masks.shapes import Statement

__all__ = ["Targets"]


class Targets:
    """The target nodes of one statement."""

    def __init__(self, statement: Statement, graph: Graph) -> None:
        """`graph` is the table's, without changes."""
        self._type, self._sub_class_of = graph.key(RDF.type), graph.key(RDFS.subClassOf)
        self._fixed = frozenset(map(graph.key, statement.nodes))
        self._roots = tuple(map(graph.key, statement.classes))
        self._subjects_of = tuple(map(graph.key, statement.subjects_of))
        self._objects_of = tuple(map(graph.key, statement.objects_of))
        self._named = tuple(map(graph.key, statement.nodes))
        self._classes = _with_subclasses(self._roots, self._sub_class_of, graph)
        self.nodes = self._find(graph, self._classes)

    @property
    def predicates(self) -> tuple[Key, ...]:
        """A triple with another predicate makes and unmakes no target."""
        of_classes = (self._type, self._sub_class_of) if self._roots else ()
        return tuple(dict.fromkeys((*of_classes, *self._subjects_of, *self._objects_of)))

    def after(self, changed: Iterable[KeyTriple], graph: Graph) -> dict[Key, bool]:
        """The nodes that may have become targets, or ceased to be, by these changes; and whether they are now.

        Nodes that were targets and still are may be left out.
        """
        candidates: dict[Key, None] = {}
        classes = self._classes
        for s, p, o in changed:
            if p == self._sub_class_of and o in self._classes and classes is self._classes:
                classes = _with_subclasses(self._roots, self._sub_class_of, graph)
            if p == self._type or p in self._subjects_of:
                candidates[s] = None
            if p in self._objects_of:
                candidates[o] = None
        if classes is not self._classes and classes != self._classes:
            candidates |= dict.fromkeys(
                node
                for class_ in {**self._classes, **classes}
                if (class_ in self._classes) is not (class_ in classes)
                for node in graph.subjects(self._type, class_)
            )
        return {
            node: is_target
            for node in candidates
            if (is_target := self._is_target(node, classes, graph)) is not (node in self.nodes)
        }

    def _is_target(self, node: Key, classes: dict[Key, None], graph: Graph) -> bool:
        return (
            node in self._fixed
            or any(type_ in classes for type_ in graph.objects(node, self._type))
            or any(len(graph.objects(node, predicate)) for predicate in self._subjects_of)
            or any(len(graph.subjects(predicate, node)) for predicate in self._objects_of)
        )

    def _find(self, graph: Graph, classes: dict[Key, None]) -> dict[Key, None]:
        found = dict.fromkeys(self._named)
        for class_ in classes:
            found |= dict.fromkeys(graph.subjects(self._type, class_))
        for predicate in self._subjects_of:
            found |= dict.fromkeys(row[0] for row in graph.rows(None, predicate))
        for predicate in self._objects_of:
            found |= dict.fromkeys(row[2] for row in graph.rows(None, predicate))
        return found


def _with_subclasses(roots: tuple[Key, ...], sub_class_of: Key, graph: Graph) -> dict[Key, None]:
    """The classes and all that lies below them."""
    found = dict.fromkeys(roots)
    waiting = list(roots)
    while waiting:
        for below in graph.subjects(sub_class_of, waiting.pop()):
            if below not in found:
                found[below] = None
                waiting.append(below)
    return found
