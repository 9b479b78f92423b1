"""Validates graphs that differ little from one that was validated before.

The triples of each table are validated once. Each pair of a shape and a target node records the lookups on which its
verdict depends. For a graph with changes, only two kinds of pairs are validated again: those with a lookup that a
changed triple affects, and those whose node has become a target. All other pairs keep their verdict. The state of the
table is never altered, so the verdict on a graph does not depend on the graphs validated before it.

The reader of shapes gives up readily: on everything it does not know, and where the standard or its implementations are
ambiguous. If any shape is beyond it, a full validator handles all of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.masks import constraints as c
from kgprobe.masks.constraints import of_datatype, passes_alone, related
from kgprobe.masks.evaluation import (
    Clock,
    Constraint,
    Lookup,
    Recorder,
    Shape,
    View,
    Violation,
    conforms,
    violations_at,
)
from kgprobe.masks.paths import Path, Predicate, read_path
from kgprobe.masks.results import Result
from kgprobe.masks.shapes_file import is_not_enforced
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph, read_list
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import RDF, RDFS, SH, BlankNode, NamedNode, Subject, Term

# -- shapes that lookups can decide ------------------------------------------------------------------------------------

_TARGETS = ("targetNode", "targetClass", "targetSubjectsOf", "targetObjectsOf")
_SHAPES = (SH.NodeShape, SH.PropertyShape)
# Parameters that do not affect which nodes conform.
_SILENT = frozenset(
    {*_TARGETS, "path", "deactivated", "message", "name", "description", "order", "group", "defaultValue", "severity"}
)
# Parameters that are read together with another one.
_COMPANIONS = frozenset({"flags", "ignoredProperties", "qualifiedValueShape"})
_NEEDS_PATH = frozenset(
    {"minCount", "maxCount", "qualifiedMinCount", "qualifiedMaxCount", "uniqueLang", "lessThan", "lessThanOrEquals"}
)

# Each level takes a few nested calls, and Python limits their number.
_DEEPEST = 50


class BeyondLookupsError(Exception):
    """These shapes need a full validator; the message says why."""


@dataclass(frozen=True)
class Statement:
    """A shape and its targets."""

    shape: Shape
    nodes: tuple[Term, ...]
    classes: tuple[NamedNode, ...]
    subjects_of: tuple[NamedNode, ...]
    objects_of: tuple[NamedNode, ...]


def read_statements(shapes: Graph) -> tuple[Statement, ...]:
    """All shapes of a shapes graph that have a target."""
    return _Reader(shapes).statements()


class _Reader:
    def __init__(self, shapes: Graph) -> None:
        self._shapes = shapes
        self._read: dict[Term, Shape] = {}
        self._open: set[Term] = set()

    def statements(self) -> tuple[Statement, ...]:
        for beyond in (SH.parameter, SH.target, SH.sparql):
            if self._shapes.count(None, self._shapes.key(beyond)):
                raise BeyondLookupsError(f"the shapes use {beyond}")
        targeted = dict.fromkeys(
            row[0] for name in _TARGETS for row in self._shapes.rows(None, self._shapes.key(SH[name]))
        )
        declared = dict.fromkeys(key for type_ in _SHAPES for key in self._instances(type_))
        for key in {**declared, **targeted}:
            self._check_types(self._shapes.term(key))
        targeted |= dict.fromkeys(key for key in self._instances(RDFS.Class) if key in declared)
        nodes = [self._shapes.term(key) for key in targeted]
        return tuple(self._statement(_subject(node)) for node in nodes if not self._is_deactivated(node))

    def _instances(self, class_: NamedNode) -> Sequence[Key]:
        return self._shapes.subjects(self._shapes.key(RDF.type), self._shapes.key(class_))

    def _check_types(self, node: Term) -> None:
        """Refuse shapes that may be classes in an unusual way. A shape that is a class targets its instances."""
        types = self._values(node, "type", RDF["type"])
        if RDFS.Class in types and not any(shape in types for shape in _SHAPES):
            raise BeyondLookupsError(f"{node} is a class with a target, but not declared as a shape")
        for type_ in types:
            if type_ not in (*_SHAPES, RDFS.Class):
                raise BeyondLookupsError(f"{node} is a {type_}, which may make it a class")

    def _statement(self, node: Subject) -> Statement:
        # A class that is also a shape targets its instances.
        implicit = (node,) if RDFS.Class in self._values(node, "type", RDF["type"]) else ()
        return Statement(
            self._shape(node),
            nodes=tuple(self._values(node, "targetNode")),
            classes=tuple(map(_iri, (*self._values(node, "targetClass"), *implicit))),
            subjects_of=tuple(map(_iri, self._values(node, "targetSubjectsOf"))),
            objects_of=tuple(map(_iri, self._values(node, "targetObjectsOf"))),
        )

    def _values(self, node: Term, name: str, predicate: NamedNode | None = None) -> list[Term]:
        key = self._shapes.key(predicate or SH[name])
        return [self._shapes.term(o) for o in self._shapes.objects(self._shapes.key(node), key)]

    def _is_deactivated(self, node: Term) -> bool:
        return any(value.value == "true" for value in self._values(node, "deactivated"))

    def _shape(self, node: Term) -> Shape:
        known = self._read.get(node)
        if known is not None:
            return known
        if node in self._open:
            raise BeyondLookupsError(f"{node} refers to itself")
        if len(self._open) == _DEEPEST:
            raise BeyondLookupsError(f"{node} is nested too deeply")
        self._check_types(node)
        self._open.add(node)
        at = self._values(node, "path")
        path = read_path(self._shapes, at[0]) if at else None
        shape = self._read[node] = Shape(_subject(node), path, self._constraints(node, path))
        self._open.discard(node)
        return shape

    def _nested(self, node: Term) -> Shape:
        if self._values(node, "deactivated"):
            raise BeyondLookupsError(f"{node} is part of a shape, and may be deactivated")
        return self._shape(node)

    def _constraints(self, node: Term, path: Path | None) -> tuple[Constraint, ...]:
        constraints: list[Constraint] = []
        for row in self._shapes.rows(self._shapes.key(node)):
            predicate, value = self._shapes.term(row[1]), self._shapes.term(row[2])
            name = predicate.value.removeprefix(SH.iri)
            if name == predicate.value or name in _SILENT or name in _COMPANIONS:
                continue
            if is_not_enforced(_iri(predicate), value):
                continue
            if path is None and name in _NEEDS_PATH:
                raise BeyondLookupsError(f"{node} has sh:{name}, but no path")
            if name not in _MAKERS:
                raise BeyondLookupsError(f"sh:{name} is not one of the constraints that lookups decide")
            constraint = _MAKERS[name](self, node, value)
            if constraint is not None:
                constraints.append(constraint)
        return tuple(constraints)

    # -- constraints that need more than the value of their parameter --------------------------------------------

    def nested(self, node: Term) -> Shape:
        return self._nested(node)

    def listed(self, head: Term) -> tuple[Term, ...]:
        return read_list(self._shapes, head).members

    def listed_shapes(self, head: Term) -> tuple[Shape, ...]:
        return tuple(map(self._nested, self.listed(head)))

    def qualified(self, node: Term) -> Shape:
        shapes = self._values(node, "qualifiedValueShape")
        if len(shapes) != 1:
            raise BeyondLookupsError(f"{node} has {len(shapes)} values for sh:qualifiedValueShape")
        return self._nested(shapes[0])

    def pattern(self, node: Term, pattern: Term) -> Constraint:
        flags = self._values(node, "flags")
        return c.EachValue("Pattern", passes_alone({"pattern": pattern, **({"flags": flags[0]} if flags else {})}))

    def closed(self, node: Term) -> Constraint:
        if self._values(node, "path"):
            raise BeyondLookupsError(f"{node} is closed and has a path")
        paths = [self._nested(shape).path for shape in self._values(node, "property")]
        allowed = {path.iri for path in paths if isinstance(path, Predicate)}
        ignored = [member for head in self._values(node, "ignoredProperties") for member in self.listed(head)]
        return c.Closed(frozenset({*allowed, *map(_iri, ignored)}))


_Maker = Callable[[_Reader, Term, Term], Constraint | None]


def _range(component: str, parameter: str) -> _Maker:
    return lambda _reader, _node, value: c.EachValue(component, passes_alone({parameter: value}))


def _less(component: str, parameter: str) -> _Maker:
    return lambda _reader, _node, value: c.EachPair(component, _iri(value), related(parameter))


def _disjoint_siblings(_reader: _Reader, node: Term, value: Term) -> None:
    if value.value != "false":
        raise BeyondLookupsError(f"{node} has siblings that its values must not conform to")


# Makes the constraint for each parameter, from the reader, the shape's node, and the parameter's value.
_MAKERS: dict[str, _Maker] = {
    "class": lambda _r, _n, value: c.EachValue("Class", c.instance_of(_iri(value))),
    "datatype": lambda _r, _n, value: c.EachValue("Datatype", of_datatype(_iri(value))),
    "nodeKind": lambda _r, _n, value: c.EachValue("NodeKind", c.of_kind(_iri(value))),
    "minCount": lambda _r, _n, value: c.MinCount(int(value.value)),
    "maxCount": lambda _r, _n, value: c.MaxCount(int(value.value)),
    "hasValue": lambda _r, _n, value: c.HasValue(value),
    "in": lambda r, _n, value: c.EachValue("In", c.is_one_of(r.listed(value))),
    "languageIn": lambda r, _n, value: c.EachValue(
        "LanguageIn", c.has_language(tuple(term.value for term in r.listed(value)))
    ),
    "minLength": lambda _r, _n, value: c.EachValue("MinLength", c.has_length(int(value.value), math.inf)),
    "maxLength": lambda _r, _n, value: c.EachValue("MaxLength", c.has_length(0, int(value.value))),
    "pattern": lambda r, node, value: r.pattern(node, value),
    "minInclusive": _range("MinInclusive", "minInclusive"),
    "minExclusive": _range("MinExclusive", "minExclusive"),
    "maxInclusive": _range("MaxInclusive", "maxInclusive"),
    "maxExclusive": _range("MaxExclusive", "maxExclusive"),
    "node": lambda r, _n, value: c.EachValue("Node", c.conforms_to_all((r.nested(value),))),
    "not": lambda r, _n, value: c.EachValue("Not", c.does_not_conform_to(r.nested(value))),
    "and": lambda r, _n, value: c.EachValue("And", c.conforms_to_all(r.listed_shapes(value))),
    "or": lambda r, _n, value: c.EachValue("Or", c.conforms_to_any(r.listed_shapes(value))),
    "xone": lambda r, _n, value: c.EachValue("Xone", c.conforms_to_one(r.listed_shapes(value))),
    "property": lambda r, _n, value: c.Properties(r.nested(value)),
    "qualifiedMinCount": lambda r, node, value: c.AtLeastQualified(r.qualified(node), int(value.value)),
    "qualifiedMaxCount": lambda r, node, value: c.AtMostQualified(r.qualified(node), int(value.value)),
    "qualifiedValueShapesDisjoint": _disjoint_siblings,
    "uniqueLang": lambda _r, _n, value: c.UniqueLang() if value.value == "true" else None,
    "equals": lambda _r, _n, value: c.Equals(_iri(value)),
    "disjoint": lambda _r, _n, value: c.Disjoint(_iri(value)),
    "lessThan": _less("LessThan", "lessThan"),
    "lessThanOrEquals": _less("LessThanOrEquals", "lessThanOrEquals"),
    "closed": lambda r, node, value: r.closed(node) if value.value == "true" else None,
}


def _iri(term: Term) -> NamedNode:
    if not isinstance(term, NamedNode):
        raise BeyondLookupsError(f"{term} is not an IRI")
    return term


def _subject(term: Term) -> Subject:
    assert isinstance(term, NamedNode | BlankNode)  # noqa: S101 - it is the subject of a triple
    return term


# -- validation --------------------------------------------------------------------------------------------------------

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
