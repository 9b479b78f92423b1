"""What a learned shape says: which nodes it is about, where it looks from there, and what it requires.

A condition holds in a graph if, from each node that it is about, the values at the end of its path pass its test. It is
evaluated here by lookups. `shacl_text` writes the same as SHACL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from kgprobe.masks.constraints import is_instance, of_datatype
from kgprobe.masks.evaluation import Clock, View
from kgprobe.masks.paths import Path, values
from kgprobe.owl.datatypes import NUMBERS
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["Clause"]

# Longer literals are not numbers that anybody wrote, and arithmetic on them takes time.
_LONGEST_NUMBER = 60


def number_of(term: Term) -> Decimal | None:
    """The number that a literal stands for, or None."""
    if not isinstance(term, Literal) or term.datatype not in NUMBERS or len(term.value) > _LONGEST_NUMBER:
        return None
    text = term.value.strip()
    if term.datatype not in (XSD.double, XSD.float) and not all(c in "+-.0123456789" for c in text):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def instances(graph: Graph, class_: Key) -> dict[Key, None]:
    """The nodes that `sh:targetClass` selects."""
    sub_class_of, is_a = graph.key(RDFS.subClassOf), graph.key(RDF.type)
    classes = reached([class_], lambda above: graph.subjects(sub_class_of, above))
    return {node: None for subclass in classes for node in graph.subjects(is_a, subclass)}


@dataclass(frozen=True)
class Focus:
    """The nodes that a condition is about: one node or all instances of a class, or where a path leads from there."""

    term: NamedNode
    is_class: bool = False
    via: Path | None = None

    def nodes(self, graph: Graph) -> Iterator[Key]:
        """The nodes in this graph."""
        start = graph.key(self.term)
        starts: Collection[Key] = instances(graph, start) if self.is_class else (start,)
        for node in starts:
            if self.via is None:
                yield node
            else:
                yield from values(self.via, graph, node)


@dataclass(frozen=True)
class HasValue:
    """One of the values is this."""

    term: Term

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        return graph.key(self.term) in values


@dataclass(frozen=True)
class Lacks:
    """None of the values is this."""

    term: Term

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        return graph.key(self.term) not in values


@dataclass(frozen=True)
class AtLeast:
    """There are at least this many values or, with a class, this many instances of it."""

    count: int
    of: NamedNode | None = None

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        return counted(graph, values, self.of) >= self.count


@dataclass(frozen=True)
class Exactly:
    """There are exactly this many values."""

    count: int

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:  # noqa: ARG002 - as all tests
        return len(values) == self.count


@dataclass(frozen=True)
class AtMost:
    """There are at most this many values or, with a class, this many instances of it."""

    count: int
    of: NamedNode | None = None

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        return counted(graph, values, self.of) <= self.count


def counted(graph: Graph, values: Collection[Key], of: NamedNode | None) -> int:
    """The number of values; with a class, of those that are instances of it."""
    if of is None:
        return len(values)
    class_ = graph.key(of)
    return sum(is_instance(graph, value, class_) for value in values)


@dataclass(frozen=True)
class OneOf:
    """Each value is one of these."""

    terms: tuple[Term, ...]

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        return all(graph.term(value) in self.terms for value in values)


@dataclass(frozen=True)
class Bound:
    """Each value is a number on this side of a bound. `name` is `minInclusive`, `minExclusive`, …"""

    name: str
    limit: Literal

    def admits(self, number: Decimal) -> bool:
        """Whether the number is on the right side."""
        limit = number_of(self.limit)
        assert limit is not None  # noqa: S101 - it was made from a number
        if number == limit:
            return self.name.endswith("Inclusive")
        return (number > limit) is self.name.startswith("min")

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        numbers = [number_of(graph.term(value)) for value in values]
        return all(number is not None and self.admits(number) for number in numbers)


@dataclass(frozen=True)
class OfClass:
    """Each value is an instance of a class."""

    class_: NamedNode

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        class_ = graph.key(self.class_)
        return all(is_instance(graph, value, class_) for value in values)


@dataclass(frozen=True)
class OfDatatype:
    """Each value is a well-formed literal of a datatype."""

    datatype: NamedNode

    def passes(self, graph: Graph, values: Collection[Key]) -> bool:
        view = View(graph, Clock(None))
        test = of_datatype(self.datatype)
        return all(test(view, value) for value in values)


ShapeTest: TypeAlias = HasValue | Lacks | AtLeast | AtMost | Exactly | OneOf | Bound | OfClass | OfDatatype


@dataclass(frozen=True)
class ShapeCondition:
    """From each node of the focus, the values of the path pass the test."""

    focus: Focus
    path: Path
    test: ShapeTest

    def holds(self, graph: Graph) -> bool:
        """Whether the graph meets the condition."""
        if isinstance(self.test, HasValue) and self.focus.is_class:
            # Backwards from the value, a path is followed once, not once for each instance.
            start = set(values(self.path, graph, graph.key(self.test.term), backwards=True))
            return all(node in start for node in self.focus.nodes(graph))
        return all(self.holds_at(graph, node) for node in self.focus.nodes(graph))

    def holds_at(self, graph: Graph, node: Key) -> bool:
        """Whether one node of the focus meets it."""
        return self.test.passes(graph, values(self.path, graph, node))


@dataclass(frozen=True)
class ShapeLink:
    """How a shape for one node reaches another, which a condition is about: by a path, if it still leads there."""

    start: NamedNode
    path: Path
    end: NamedNode

    def holds(self, graph: Graph) -> bool:
        """Whether the path leads to the node."""
        return graph.key(self.end) in values(self.path, graph, graph.key(self.start))


@dataclass(frozen=True)
class LinkedCondition:
    """A condition in a shape for another node, and the link to its own node; None if the node is the same."""

    condition: ShapeCondition
    link: ShapeLink | None = None

    def holds(self, graph: Graph) -> bool:
        """Whether the link leads to the node, and the condition holds there."""
        return (self.link is None or self.link.holds(graph)) and self.condition.holds(graph)


@dataclass(frozen=True)
class Clause:
    """One shape: a condition holds, or else all conditions of one of the alternatives.

    A shape looks from one node: that of the condition or, with a link, the node where this starts.
    """

    condition: ShapeCondition
    alternatives: tuple[tuple[LinkedCondition, ...], ...] = ()
    link: ShapeLink | None = None

    def holds(self, graph: Graph) -> bool:
        """Whether the graph conforms to the shape."""
        return LinkedCondition(self.condition, self.link).holds(graph) or any(
            all(linked.holds(graph) for linked in together) for together in self.alternatives
        )
