"""Reads shapes for evaluation by lookups. If any shape is unsupported, a full validator handles all of them.

The reader therefore gives up readily: on everything it does not know, and where the standard or its implementations are
ambiguous.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgprobe.masks import constraints as c
from kgprobe.masks.constraints import of_datatype, passes_alone, related
from kgprobe.masks.evaluation import Constraint, Shape
from kgprobe.masks.paths import Path, Predicate, read_path
from kgprobe.masks.shapes_file import is_not_enforced
from kgprobe.rdf.graph import Graph, read_list
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, SH, BlankNode, NamedNode, Subject, Term

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
