"""Property paths as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.sparql import tree
from kgprobe.sparql.source import Source

__all__ = [
    "ANY_WALK",
    "AlternativePath",
    "Edge",
    "EdgePath",
    "NegatedPath",
    "Path",
    "RepeatedPath",
    "SequencePath",
    "UnknownPredicate",
    "directed",
    "legs",
    "may_be_empty",
    "predicates_of",
    "read_path",
    "reversed_path",
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


class UnknownPredicate(Exception):  # noqa: N818 - it never leaves this package
    """A path has an unknown IRI."""


def read_path(node: tree.Node, source: Source) -> Path:
    """The path of a node of the tree. The recursion is only as deep as the brackets."""
    if node.kind == "binary_path":
        sign = node.children[1].kind
        parts = []
        while node.kind == "binary_path" and node.children[1].kind == sign:
            parts.append(read_path(node.children[2], source))
            node = node.children[0]
        parts.append(read_path(node, source))
        parts.reverse()
        return _series(parts) if sign == "/" else _choice(parts)
    primary: Path | None = None
    inverse = False
    modifier = ""
    for part in node.children:
        match part.kind:
            case "path_inverse":
                inverse = True
            case "path_mod":
                modifier = source.text[part.start : part.end]
            case "path_negated_property_set":
                primary = _negated(part, source)
            case "path_element" | "binary_path":
                primary = read_path(part, source)
            case "a" | "prefixed_name" | "iri_reference":
                primary = EdgePath(frozenset(((_predicate(part, source), False),)))
    assert primary is not None  # noqa: S101 - the grammar has nothing else here
    if modifier:
        primary = _repeated(primary, may_be_none=modifier != "+", many=modifier != "?")
    return reversed_path(primary) if inverse else primary


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


def _predicate(node: tree.Node, source: Source) -> NamedNode:
    found = RDF.type if node.kind == "a" else source.iri(node)
    if found is None:
        raise UnknownPredicate
    return found


def _series(parts: Iterable[Path]) -> SequencePath:
    return SequencePath(
        tuple(each for part in parts for each in (part.parts if isinstance(part, SequencePath) else (part,)))
    )


def _choice(parts: Iterable[Path]) -> Path:
    """The alternatives, with single edges merged into one."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, AlternativePath) else (part,))]
    edges = frozenset(edge for each in flat if isinstance(each, EdgePath) for edge in each.edges)
    others = [each for each in flat if not isinstance(each, EdgePath)]
    if not others:
        return EdgePath(edges)
    parts = (EdgePath(edges), *others) if edges else tuple(others)
    return parts[0] if len(parts) == 1 else AlternativePath(parts)


def _repeated(inner: Path, *, may_be_none: bool, many: bool) -> RepeatedPath:
    """A repeated path. Nested repetitions become one: `(p+)?` is `p*`, since each pair of nodes counts once."""
    if isinstance(inner, RepeatedPath):
        return RepeatedPath(inner.inner, inner.may_be_none or may_be_none, inner.many or many)
    return RepeatedPath(inner, may_be_none, many)


def _negated(node: tree.Node, source: Source) -> Path:
    """`!(p|^q)` is `!p|!^q`: an edge forwards that is not p, or one backwards that is not q."""
    excluded: dict[bool, set[NamedNode]] = {}
    for part in node.children:
        if part.kind == "path_one_in_property_set":
            excluded.setdefault(len(part.children) > 1, set()).add(_predicate(part.children[-1], source))
    return _choice([NegatedPath(frozenset(each), backwards) for backwards, each in excluded.items()] or [_ANY])


_ANY = NegatedPath(frozenset(), False)
ANY_WALK = RepeatedPath(AlternativePath((_ANY, NegatedPath(frozenset(), True))), may_be_none=True, many=True)
"""Any number of any edges: what is known of a path with an unknown predicate."""
