"""SHACL property paths: reads them from a shapes graph, follows them in a data graph, and shows them as text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, SH, BlankNode, NamedNode, Term


class BrokenPathError(ValueError):
    """A node that should be a path is not one."""


@dataclass(frozen=True)
class Predicate:
    """One predicate, from subject to object."""

    iri: NamedNode

    def text(self, spelling: Spelling) -> str:
        return spelling.term(self.iri)


@dataclass(frozen=True)
class Inverse:
    """A path, followed from its end to its start."""

    path: Path

    def text(self, spelling: Spelling) -> str:
        return f"^{_nested(self.path, spelling)}"


@dataclass(frozen=True)
class Sequence_:  # noqa: N801 - SHACL's name, which Python also uses
    """One path after the other."""

    paths: tuple[Path, ...]

    def text(self, spelling: Spelling) -> str:
        return "/".join(_nested(path, spelling) for path in self.paths)


@dataclass(frozen=True)
class Alternative:
    """Any of several paths."""

    paths: tuple[Path, ...]

    def text(self, spelling: Spelling) -> str:
        return "|".join(_nested(path, spelling) for path in self.paths)


@dataclass(frozen=True)
class Repeat:
    """A repeated path: `*` any number of times, `+` at least once, `?` at most once."""

    path: Path
    sign: str

    def text(self, spelling: Spelling) -> str:
        return f"{_nested(self.path, spelling)}{self.sign}"


Path: TypeAlias = Predicate | Inverse | Sequence_ | Alternative | Repeat

_DEEPEST = 50
_REPEATS = {SH.zeroOrMorePath: "*", SH.oneOrMorePath: "+", SH.zeroOrOnePath: "?"}


def _nested(path: Path, spelling: Spelling) -> str:
    text = path.text(spelling)
    return f"({text})" if isinstance(path, Sequence_ | Alternative) else text


def read_path(shapes: Graph, node: Term) -> Path:
    """The path that a node of a shapes graph stands for."""
    return _read(shapes, node, ())


def _read(shapes: Graph, node: Term, above: tuple[Term, ...]) -> Path:
    if isinstance(node, NamedNode):
        return Predicate(node)
    if not isinstance(node, BlankNode) or node in above:
        raise BrokenPathError(f"{node} is not a path" if node not in above else "a path is part of itself")
    if len(above) == _DEEPEST:
        raise BrokenPathError("a path is nested too deeply")
    above = (*above, node)
    said = [triple for triple in shapes.triples(node) if triple.predicate != RDF.type]
    if any(triple.predicate == RDF.first for triple in said):
        return Sequence_(_members(shapes, node, above))
    if len(said) != 1:
        raise BrokenPathError(f"a path has one triple or is a list, but {node} has {len(said)}")
    predicate, target = said[0].predicate, shapes.term(shapes.keys(said[0])[2])
    if predicate == SH.inversePath:
        return Inverse(_read(shapes, target, above))
    if predicate == SH.alternativePath:
        return Alternative(_members(shapes, target, above))
    if predicate in _REPEATS:
        return Repeat(_read(shapes, target, above), _REPEATS[predicate])
    raise BrokenPathError(f"{predicate} is not a path")


def _members(shapes: Graph, head: Term, above: tuple[Term, ...]) -> tuple[Path, ...]:
    try:
        members = read_list(shapes, head).members
    except BrokenListError as error:
        raise BrokenPathError(str(error)) from None
    if len(members) < 2:
        raise BrokenPathError(f"a list of paths needs at least two, and {head} has {len(members)}")
    return tuple(_read(shapes, member, above) for member in members)


class Lookups(Protocol):
    """The lookups that following a path needs; `Graph` has them."""

    def key(self, term: Term) -> Key: ...
    def objects(self, s: Key, p: Key) -> Collection[Key]: ...
    def subjects(self, p: Key, o: Key) -> Collection[Key]: ...


def values(path: Path, graph: Lookups, start: Key, *, backwards: bool = False) -> Collection[Key]:
    """The distinct nodes that a path leads to from a node, in an order that does not depend on hashes."""
    match path:
        case Predicate(iri):
            key = graph.key(iri)
            return graph.subjects(key, start) if backwards else graph.objects(start, key)
        case Inverse(inner):
            return values(inner, graph, start, backwards=not backwards)
        case Sequence_(paths):
            ends: dict[Key, None] = {start: None}
            for step in reversed(paths) if backwards else paths:
                ends = {end: None for node in ends for end in values(step, graph, node, backwards=backwards)}
            return ends
        case Alternative(paths):
            return {end: None for option in paths for end in values(option, graph, start, backwards=backwards)}
        case Repeat(inner, "?"):
            return {start: None, **dict.fromkeys(values(inner, graph, start, backwards=backwards))}
        case Repeat(inner, sign):

            def further(node: Key) -> Collection[Key]:
                return values(inner, graph, node, backwards=backwards)

            nodes = reached(further(start), further)
            return {start: None, **nodes} if sign == "*" else nodes
