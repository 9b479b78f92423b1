"""What a search looks for, and what it finds: rules on the relations and sets of an index.

The variables of a rule are numbered: those of the head come first. A finding stands for as many rules as its sets have
items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.expansion import Flags, Numbers

__all__ = ["Atom", "Finding", "Head", "InSet", "Link", "Thresholds"]

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
class Link:
    """An atom with two variables: the relation holds from variable `x` to variable `y`."""

    relation: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class InSet:
    """Atoms with a variable and a constant: the variable is in this set."""

    variable: int
    set: int


@dataclass(frozen=True, slots=True)
class Head:
    """Heads with one variable, which is variable 0: it has this relation to a constant, and is thereby in this set."""

    relation: int
    set: int


Atom: TypeAlias = Link | InSet


@dataclass(frozen=True, slots=True)
class Finding:
    """Rules with the same counts. A head with two variables is a link from variable 0 to variable 1."""

    body: tuple[Atom, ...]
    head: Link | Head
    support: int
    body_size: int
    head_size: int
    pca_body_size: int
