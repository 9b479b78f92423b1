"""Validation of graphs that differ little from one that was validated before.

For each table, its triples are validated once, and each pair of a shape and a node that the shape is about notes the
lookups that its verdict rests on. For a graph with changes only those pairs are judged again whose lookups are
concerned by a changed triple, and those that have become targets; all others keep their verdict. What is known about
the table is never altered, so that each graph is judged for itself, whatever was judged before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.masks.evaluation import Clock, Found, Lookup, Recorder, View, conforms, found_at
from kgprobe.masks.results import Result
from kgprobe.masks.shapes import Statement
from kgprobe.masks.targets import Targets

__all__ = ["IncrementalValidator"]

# The number of a statement, and a node that it is about.
_Pair: TypeAlias = tuple[int, Key]


class IncrementalValidator:
    """Judges graphs by statements that were read by `read_statements`."""

    def __init__(self, statements: tuple[Statement, ...], *, seconds: float | None = None) -> None:
        """`seconds` is how long judging one graph may take; OutOfTimeError if it takes longer."""
        self._statements = statements
        self._seconds = seconds
        self._states = PerTable(lambda table: _TableState(statements, table, Clock(seconds)))

    def is_ready_for(self, graph: Graph) -> bool:
        """Whether the graph's table has been validated already."""
        return self._states.knows(graph.table)

    def conforms(self, graph: Graph) -> bool:
        """Whether nothing is wrong with the graph."""
        state = self._states.of(graph.table)
        concerned = state.concerned(graph)
        if any(pair not in concerned for pair in state.failures):
            return False
        view = View(graph, Clock(self._seconds))
        return all(
            conforms(self._statements[number].shape, view, focus)
            for (number, focus), is_target in concerned.items()
            if is_target
        )

    def results(self, graph: Graph) -> list[Result]:
        """All that is wrong with the graph."""
        state = self._states.of(graph.table)
        concerned = state.concerned(graph)
        found = [each for pair, failures in state.failures.items() if pair not in concerned for each in failures]
        view = View(graph, Clock(self._seconds))
        for (number, focus), is_target in concerned.items():
            if is_target:
                found += found_at(self._statements[number].shape, view, focus)
        return [_result(each, graph) for each in dict.fromkeys(found)]


class _TableState:
    """What is wrong with the triples of a table, and which lookups that depends on."""

    def __init__(self, statements: tuple[Statement, ...], table: TripleTable, clock: Clock) -> None:
        graph = Graph.from_table(table)
        self.failures: dict[_Pair, tuple[Found, ...]] = {}
        self._targets = [Targets(statement, graph) for statement in statements]
        self._readers: defaultdict[Lookup, list[_Pair]] = defaultdict(list)
        for number, statement in enumerate(statements):
            for focus in self._targets[number].nodes:
                recorder = Recorder(graph, clock)
                if found := tuple(found_at(statement.shape, recorder, focus)):
                    self.failures[number, focus] = found
                for lookup in recorder.lookups:
                    self._readers[lookup].append((number, focus))
        # Which statements a changed triple can give targets to, or take them from.
        self._by_predicate: defaultdict[Key, list[int]] = defaultdict(list)
        for number, targets in enumerate(self._targets):
            for predicate in targets.predicates:
                self._by_predicate[predicate].append(number)

    def concerned(self, graph: Graph) -> dict[_Pair, bool]:
        """The pairs whose verdict may be another one in this graph, and whether they are still pairs."""
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


def _result(found: Found, graph: Graph) -> Result:
    value = None if found.value is None else graph.term(found.value)
    return Result(graph.term(found.focus), found.shape.node, found.component, found.path, value)
