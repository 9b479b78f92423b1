"""Rules: a body of triple patterns that implies a head, and how often that is so in one graph or in several.

A search has `Thresholds` and a `Budget`. Its findings are on the relations and sets of an index; their variables are
numbered, those of the head first. A finding stands for as many rules as its sets have items.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.index import Flags, Numbers
from kgprobe.processes.tree import resident_mb
from kgprobe.rdf.pattern import Binding, TriplePattern

__all__ = ["Atom", "Budget", "MinedRules", "Rule", "Thresholds", "UsedUpError", "united"]


@dataclass(frozen=True)
class Rule:
    """A rule and its counts in the graphs that it was found in.

    All counts are those of SPARQL. `support` and `body_size` count distinct bindings of the variables of the head:
    those for which body and head hold, and those for which the body holds. `head_size` counts the triples that match
    the head. `pca_body_size` is the part of `body_size` whose subject (or object, if the subject is constant) has some
    value of the predicate of the head. `examples` are bindings for which body and head hold.
    """

    body: tuple[TriplePattern, ...]
    head: TriplePattern
    support: int
    body_size: int
    head_size: int
    pca_body_size: int
    examples: tuple[Binding, ...] = ()

    @property
    def confidence(self) -> float:
        """The share of the body's bindings for which the head holds."""
        return self.support / self.body_size

    @property
    def pca_confidence(self) -> float:
        """The same share under the partial completeness assumption."""
        return self.support / self.pca_body_size


@dataclass(frozen=True)
class MinedRules:
    """The rules that a search found, and what it did not explore before its time or memory was used up."""

    rules: tuple[Rule, ...]
    not_explored: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the search explored everything."""
        return not self.not_explored


def united(by_graph: Sequence[Sequence[Rule]]) -> tuple[Rule, ...]:
    """All rules, the surest and most frequent first. The counts of a rule are the sums over the graphs that have it.

    The names of variables and the order of atoms depend on the rule only, so that equal rules are equal values.
    """
    order = _Order()
    if len(by_graph) == 1:
        return tuple(sorted(by_graph[0], key=order))
    rules: dict[tuple[tuple[TriplePattern, ...], TriplePattern], Rule] = {}
    for rule in (rules for part in by_graph for rules in part):
        key = rule.body, rule.head
        known = rules.get(key)
        rules[key] = rule if known is None else _sum(known, rule)
    return tuple(sorted(rules.values(), key=order))


def _sum(one: Rule, other: Rule) -> Rule:
    return replace(
        one,
        support=one.support + other.support,
        body_size=one.body_size + other.body_size,
        head_size=one.head_size + other.head_size,
        pca_body_size=one.pca_body_size + other.pca_body_size,
    )


class _Order:
    """The order of rules. Rules share the objects of their terms, so that the text of each is made once."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def __call__(self, rule: Rule) -> tuple[float, int, int, list[str]]:
        texts = [self._text(part) for atom in (rule.head, *rule.body) for part in atom]
        return -rule.confidence, -rule.support, len(rule.body), texts

    def _text(self, part: object) -> str:
        known = self._texts.get(id(part))  # the rules keep the object
        if known is None:
            known = self._texts[id(part)] = str(part)
        return known


# -- what a search may use, what it looks for, and what it finds in one graph ------------------------------------------

_SECONDS_BETWEEN_LOOKS = 0.02
_BYTES_PER_MB = 1 << 20


class UsedUpError(Exception):
    """The time or the memory is used up; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Budget:
    """Seconds from now on, and megabytes for this process. None: no limit."""

    def __init__(self, seconds: float | None = None, memory_mb: int | None = None) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._end = None if seconds is None else time.monotonic() + seconds
        self._looked = -1.0

    def check(self, coming_bytes: int = 0) -> None:
        """Raise `UsedUpError` if the time is over, or if this many more bytes do not fit into the memory."""
        now = time.monotonic()
        if self._end is not None and now >= self._end:
            raise UsedUpError(f"the time limit of {self._seconds:g} s was reached")
        if self._memory_mb is None or (not coming_bytes and now - self._looked < _SECONDS_BETWEEN_LOOKS):
            return
        self._looked = now
        if resident_mb(os.getpid()) + coming_bytes / _BYTES_PER_MB > self._memory_mb:
            raise UsedUpError(f"the memory limit of {self._memory_mb} MB was reached")


# Sums of floating-point numbers can be off by this much.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Which rules to find."""

    min_support: int = 1
    min_body: int = 50
    min_head: int = 20
    min_confidence: float = 0.8
    keep_redundant: bool = False

    @property
    def least(self) -> int:
        """No rule has a smaller support."""
        return max(1, self.min_support, math.ceil(self.min_confidence * self.min_body - _SLACK))

    def met(self, support: Numbers, body: Numbers) -> Flags:
        """Which supports and sizes of bodies are large enough."""
        shares: NDArray[np.float64] = support / np.maximum(body, 1)
        return (support >= self.least) & (body >= self.min_body) & (shares >= self.min_confidence)

    def met_by(self, support: int, body: int) -> bool:
        """Whether one support and one size of a body are large enough."""
        return support >= self.min_support and body >= self.min_body and support / body >= self.min_confidence

    def most_body(self, support: int) -> float:
        """The largest body with enough confidence for this support."""
        return (support + _SLACK) / self.min_confidence if self.min_confidence > 0 else math.inf


@dataclass(frozen=True, slots=True)
class RelationAtom:
    """An atom with two variables: the relation holds from variable `x` to variable `y`."""

    relation: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class SetAtom:
    """Atoms with a variable and a constant: the variable is in this set."""

    variable: int
    set: int


@dataclass(frozen=True, slots=True)
class Head:
    """Heads with one variable, which is variable 0: it has this relation to a constant, and is thereby in this set."""

    relation: int
    set: int


Atom: TypeAlias = RelationAtom | SetAtom


@dataclass(frozen=True, slots=True)
class Finding:
    """Rules with the same counts. A head with two variables is a link from variable 0 to variable 1."""

    body: tuple[Atom, ...]
    head: RelationAtom | Head
    support: int
    body_size: int
    head_size: int
    pca_body_size: int
