"""Applies shapes to nodes by lookups in a graph. Each lookup can be recorded.

A verdict depends only on the answers to its lookups. As long as no changed triple is part of such an answer, the
verdict remains valid. `Recorder` records the lookups.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from kgprobe.masks.mask import NoAnswerError
from kgprobe.masks.paths import Path, values
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import Subject, Term

# The triples that a lookup asks for; None stands for any.
Lookup: TypeAlias = tuple[Key | None, Key | None, Key | None]


_BETWEEN_LOOKS = 100


class Clock:
    """Stops an evaluation that takes too long. It is checked whenever a shape is applied to a node."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self.left = _BETWEEN_LOOKS  # calls until the next look at the time, which is slow

    def look(self) -> None:
        """NoAnswerError if the time has passed."""
        self.left = _BETWEEN_LOOKS
        if time.monotonic() > self._end:
            raise NoAnswerError(f"no answer within {self._seconds or 0:g} s")


class View:
    """A graph as evaluation sees it."""

    def __init__(self, graph: Graph, clock: Clock) -> None:
        self.graph = graph
        self.clock = clock
        self.key = graph.key
        self.term = graph.term

    def objects(self, s: Key, p: Key) -> Collection[Key]:
        return self.graph.objects(s, p)

    def subjects(self, p: Key, o: Key) -> Collection[Key]:
        return self.graph.subjects(p, o)

    def about(self, s: Key) -> Iterator[KeyTriple]:
        return self.graph.rows(s)

    def attempt(self) -> View:
        """A view for lookups that may turn out not to matter. If they do matter, `keep` it."""
        return self

    def keep(self, attempt: View) -> None:
        """Count the lookups of an attempt, because they do matter."""

    def rely_on(self, s: Key, p: Key, o: Key) -> None:
        """The verdict depends on the existence of this triple."""


class Recorder(View):
    """A view that records its lookups."""

    def __init__(self, graph: Graph, clock: Clock) -> None:
        super().__init__(graph, clock)
        self.lookups: dict[Lookup, None] = {}

    def objects(self, s: Key, p: Key) -> Collection[Key]:
        self.lookups[s, p, None] = None
        return self.graph.objects(s, p)

    def subjects(self, p: Key, o: Key) -> Collection[Key]:
        self.lookups[None, p, o] = None
        return self.graph.subjects(p, o)

    def about(self, s: Key) -> Iterator[KeyTriple]:
        self.lookups[s, None, None] = None
        return self.graph.rows(s)

    def attempt(self) -> Recorder:
        return Recorder(self.graph, self.clock)

    def keep(self, attempt: View) -> None:
        if isinstance(attempt, Recorder):
            self.lookups.update(attempt.lookups)

    def rely_on(self, s: Key, p: Key, o: Key) -> None:
        self.lookups[s, p, o] = None


class Shape:
    """A node shape (without a path) or a property shape (with one), ready to be applied."""

    def __init__(self, node: Subject, path: Path | None, constraints: tuple[Constraint, ...]) -> None:
        self.node = node
        self.path = path
        self.constraints = constraints


class Violation(NamedTuple):
    """What a constraint does not allow, with keys; `kgprobe.masks.results.Result` is the same with terms."""

    focus: Key
    shape: Shape
    component: str
    path: Path | None
    value: Key | None


class Site:
    """A shape applied to a node of a graph."""

    def __init__(self, shape: Shape, view: View, focus: Key) -> None:
        self.shape = shape
        self.view = view
        self.focus = focus

    @cached_property
    def values(self) -> Collection[Key]:
        """The nodes that the constraints apply to: those at the end of the path or, without a path, the focus node."""
        return (self.focus,) if self.shape.path is None else values(self.shape.path, self.view, self.focus)

    def violation(self, component: str, value: Key | None = None) -> Violation:
        return Violation(self.focus, self.shape, component, self.shape.path, value)

    def has_value(self, term: Term) -> bool:
        return self.view.key(term) in self.values


class Constraint(Protocol):
    """One requirement of a shape."""

    def violations(self, site: Site) -> Iterator[Violation]:
        """All violations at this site."""
        ...


def violations_at(shape: Shape, view: View, focus: Key) -> Iterator[Violation]:
    """All violations of a shape by a node."""
    clock = view.clock
    clock.left -= 1
    if not clock.left:
        clock.look()
    site = Site(shape, view, focus)
    for constraint in shape.constraints:
        yield from constraint.violations(site)


def conforms(shape: Shape, view: View, node: Key) -> bool:
    """Whether a node conforms to a shape; stops at the first violation."""
    return next(violations_at(shape, view, node), None) is None
