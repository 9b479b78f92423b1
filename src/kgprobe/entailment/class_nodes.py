"""A hierarchy of classes as numbers: tens of thousands of edges are sooner renumbered than named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kgprobe.graph.table import Interner
from kgprobe.graph.terms import Term

__all__ = ["ClassNodes", "pairs_of"]

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class ClassNodes:
    """The classes, each once, and edges from a class to one above it."""

    terms: list[Term]
    """The classes, and behind them what else has an edge: a name that also is a datatype."""
    count: int
    """How many of the terms are classes."""
    rows: NDArray[np.int64]
    """For each edge the places of its lower and of its upper end among the terms."""

    @classmethod
    def of(cls, classes: Iterable[Term], edges: Iterable[tuple[Term, Term]]) -> ClassNodes:
        """The same, from classes and pairs of them."""
        places = Interner()
        count = len({places[each] for each in classes})
        ends = [places[end] for edge in edges for end in edge]
        return cls(list(places), count, np.array(ends, dtype=np.int64).reshape(-1, 2))

    def renamed(self, name: Callable[[Term], Term]) -> ClassNodes:
        """The same with other names."""
        return ClassNodes(list(map(name, self.terms)), self.count, self.rows)

    @property
    def classes(self) -> list[Term]:
        """The classes alone."""
        return self.terms[: self.count]

    def edges(self) -> list[tuple[Term, Term]]:
        """The edges, by their ends."""
        return pairs_of(self.terms, self.rows)


def pairs_of(values: Sequence[_T], rows: NDArray[np.int64]) -> list[tuple[_T, _T]]:
    """The values at the places that rows of two name."""
    lower, upper = (map(values.__getitem__, column) for column in rows.T.tolist())
    return list(zip(lower, upper, strict=True))
