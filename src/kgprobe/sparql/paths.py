"""Property paths as values, and the ways along them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode

__all__ = [
    "AlternativePath",
    "EdgePath",
    "NegatedPath",
    "Path",
    "RepeatedPath",
    "SequencePath",
    "directed",
    "legs",
    "predicates_of",
]

End = TypeVar("End")
# A predicate, and whether it is followed from object to subject.
Edge: TypeAlias = tuple[NamedNode, bool]


@dataclass(frozen=True, slots=True)
class EdgePath:
    """One edge of any of these kinds: `p`, `^p`, `p|^q`."""

    edges: frozenset[Edge]


@dataclass(frozen=True, slots=True)
class NegatedPath:
    """One edge with any predicate except these: `!(p|q)`, or `!(^p|^q)` if it is followed from object to subject."""

    excluded: frozenset[NamedNode]
    backwards: bool


@dataclass(frozen=True, slots=True)
class SequencePath:
    """One path after the other: `p/q`."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class AlternativePath:
    """Any one of the paths: `p|q/r`."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class RepeatedPath:
    """A path once, or any number of times if `many`; if it `may_be_none`, also zero times: `p*`, `p+`, `p?`."""

    inner: Path
    may_be_none: bool
    many: bool


Path: TypeAlias = EdgePath | NegatedPath | SequencePath | AlternativePath | RepeatedPath


def reversed_path(path: Path) -> Path:
    """The path followed from its end to its start."""
    match path:
        case EdgePath(edges):
            return EdgePath(frozenset((predicate, not backwards) for predicate, backwards in edges))
        case NegatedPath(excluded, backwards):
            return NegatedPath(excluded, not backwards)
        case SequencePath(parts):
            return SequencePath(tuple(map(reversed_path, reversed(parts))))
        case AlternativePath(parts):
            return AlternativePath(tuple(map(reversed_path, parts)))
        case RepeatedPath(inner, may_be_none, many):
            return RepeatedPath(reversed_path(inner), may_be_none, many)


def may_be_empty(path: Path) -> bool:
    """Whether the path can connect a node to itself without an edge."""
    match path:
        case RepeatedPath(inner, may_be_none, _):
            return may_be_none or may_be_empty(inner)
        case SequencePath(parts):
            return all(map(may_be_empty, parts))
        case AlternativePath(parts):
            return any(map(may_be_empty, parts))
        case _:
            return False


def predicates_of(path: Path | Variable | NamedNode) -> Iterator[NamedNode | None]:
    """The predicates that a path, or a predicate itself, can match; None stands for any."""
    match path:
        case Variable() | NegatedPath():
            yield None
        case EdgePath(edges):
            yield from (predicate for predicate, _ in edges)
        case SequencePath(parts) | AlternativePath(parts):
            for part in parts:
                yield from predicates_of(part)
        case RepeatedPath(inner):
            yield from predicates_of(inner)
        case NamedNode():
            yield path


def legs(start: End, parts: Sequence[Path], end: End, between: Callable[[], End]) -> Iterator[tuple[End, Path, End]]:
    """The parts of a sequence between its ends, each with its own ends. `between` makes the nodes that connect them."""
    nodes = [start, *(between() for _ in parts[1:]), end]
    return zip(nodes, parts, nodes[1:], strict=False)


def directed(start: End, end: End, *, backwards: bool) -> tuple[End, End]:
    """The subject and the object of an edge between two nodes."""
    return (end, start) if backwards else (start, end)


def series_of(parts: Iterable[Path]) -> SequencePath:
    """The paths one after the other."""
    return SequencePath(
        tuple(each for part in parts for each in (part.parts if isinstance(part, SequencePath) else (part,)))
    )


def choice_of(parts: Iterable[Path]) -> Path:
    """Any one of the paths. Single edges are merged into one."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, AlternativePath) else (part,))]
    edges = frozenset(edge for part in flat if isinstance(part, EdgePath) for edge in part.edges)
    others = [part for part in flat if not isinstance(part, EdgePath)]
    if not others:
        return EdgePath(edges)
    parts = (EdgePath(edges), *others) if edges else tuple(others)
    return parts[0] if len(parts) == 1 else AlternativePath(parts)


def repeated(inner: Path, *, may_be_none: bool, many: bool) -> RepeatedPath:
    """A path several times. Nested repetitions become one: `(p+)?` is `p*`, since each pair of nodes counts once."""
    if isinstance(inner, RepeatedPath):
        return RepeatedPath(inner.inner, inner.may_be_none or may_be_none, inner.many or many)
    return RepeatedPath(inner, may_be_none, many)


ANY_EDGE = NegatedPath(frozenset(), False)
ANY_WALK = RepeatedPath(AlternativePath((ANY_EDGE, NegatedPath(frozenset(), True))), may_be_none=True, many=True)
"""Any number of any edges: what is known of a path with an unknown predicate."""
