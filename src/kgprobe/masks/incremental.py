"""Validates graphs that differ little from one that was validated before.

The triples of each table are validated once. Each pair of a shape and a target node records the lookups on which its
verdict depends. For a graph with changes, only two kinds of pairs are validated again: those with a lookup that a
changed triple affects, and those whose node has become a target. All other pairs keep their verdict. The state of the
table is never altered, so the verdict on a graph does not depend on the graphs validated before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from kgprobe.masks.evaluation import Clock, Lookup, Recorder, View, Violation, conforms, violations_at
from kgprobe.masks.results import Result
from kgprobe.masks.shapes import Statement
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import RDF, RDFS

# The number of a statement, and one of its target nodes.
_Pair: TypeAlias = tuple[int, Key]


class IncrementalValidator:
    """Validates graphs against statements from `read_statements`."""

    def __init__(self, statements: tuple[Statement, ...], *, seconds: float | None = None) -> None:
        """`seconds` is the time limit for one graph; NoAnswerError if it takes longer."""
        self._statements = statements
        self._seconds = seconds
        self._states = PerTable(lambda table: _TableState(statements, table, Clock(seconds)))

    def is_ready_for(self, graph: Graph) -> bool:
        """Whether the graph's table has been validated already."""
        return self._states.knows(graph.table)

    def conforms(self, graph: Graph) -> bool:
        """Whether the graph has no violations."""
        state = self._states.of(graph.table)
        concerned = state.concerned(graph)
        if any(pair not in concerned for pair in state.violations):
            return False
        view = View(graph, Clock(self._seconds))
        return all(
            conforms(self._statements[number].shape, view, focus)
            for (number, focus), is_target in concerned.items()
            if is_target
        )

    def results(self, graph: Graph) -> list[Result]:
        """All violations in the graph."""
        state = self._states.of(graph.table)
        concerned = state.concerned(graph)
        violations = [
            violation for pair, of_pair in state.violations.items() if pair not in concerned for violation in of_pair
        ]
        view = View(graph, Clock(self._seconds))
        for (number, focus), is_target in concerned.items():
            if is_target:
                violations += violations_at(self._statements[number].shape, view, focus)
        return [_result(violation, graph) for violation in dict.fromkeys(violations)]


class _TableState:
    """The violations in a table, and the lookups on which they depend."""

    def __init__(self, statements: tuple[Statement, ...], table: TripleTable, clock: Clock) -> None:
        graph = Graph.from_table(table)
        self.violations: dict[_Pair, tuple[Violation, ...]] = {}
        self._targets = [Targets(statement, graph) for statement in statements]
        self._readers: defaultdict[Lookup, list[_Pair]] = defaultdict(list)
        for number, statement in enumerate(statements):
            for focus in self._targets[number].nodes:
                recorder = Recorder(graph, clock)
                if violations := tuple(violations_at(statement.shape, recorder, focus)):
                    self.violations[number, focus] = violations
                for lookup in recorder.lookups:
                    self._readers[lookup].append((number, focus))
        # The statements that can gain or lose targets through a changed triple.
        self._by_predicate: defaultdict[Key, list[int]] = defaultdict(list)
        for number, targets in enumerate(self._targets):
            for predicate in targets.predicates:
                self._by_predicate[predicate].append(number)

    def concerned(self, graph: Graph) -> dict[_Pair, bool]:
        """The pairs whose verdict may differ in this graph, and whether each node is still a target."""
        pairs: dict[_Pair, bool] = {}
        by_statement: defaultdict[int, list[KeyTriple]] = defaultdict(list)
        for triple in graph.changed_keys:
            for pair in self._reading(triple):
                pairs[pair] = True
            for number in self._by_predicate.get(triple[1], ()):
                by_statement[number].append(triple)
        for number, triples in by_statement.items():
            for focus, is_target in self._targets[number].after(triples, graph).items():
                pairs[number, focus] = is_target
        return pairs

    def _reading(self, triple: KeyTriple) -> Iterator[_Pair]:
        s, p, o = triple
        lookups: Iterable[Lookup] = (triple, (s, p, None), (None, p, o), (s, None, None))
        for lookup in lookups:
            yield from self._readers.get(lookup, ())


def _result(violation: Violation, graph: Graph) -> Result:
    value = None if violation.value is None else graph.term(violation.value)
    return Result(graph.term(violation.focus), violation.shape.node, violation.component, violation.path, value)


# -- target nodes ------------------------------------------------------------------------------------------------------


class Targets:
    """The target nodes of one statement."""

    def __init__(self, statement: Statement, graph: Graph) -> None:
        """`graph` is the graph of the table, without changes."""
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
        """The predicates of triples that can add or remove targets."""
        of_classes = (self._type, self._sub_class_of) if self._roots else ()
        return tuple(dict.fromkeys((*of_classes, *self._subjects_of, *self._objects_of)))

    def after(self, changed: Iterable[KeyTriple], graph: Graph) -> dict[Key, bool]:
        """The nodes that these changes may have made targets or no longer targets, and whether they are targets now.

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
        nodes = dict.fromkeys(self._named)
        for class_ in classes:
            nodes |= dict.fromkeys(graph.subjects(self._type, class_))
        for predicate in self._subjects_of:
            nodes |= dict.fromkeys(row[0] for row in graph.rows(None, predicate))
        for predicate in self._objects_of:
            nodes |= dict.fromkeys(row[2] for row in graph.rows(None, predicate))
        return nodes


def _with_subclasses(roots: tuple[Key, ...], sub_class_of: Key, graph: Graph) -> dict[Key, None]:
    """The classes and all their subclasses."""
    return reached(roots, lambda class_: graph.subjects(sub_class_of, class_))
