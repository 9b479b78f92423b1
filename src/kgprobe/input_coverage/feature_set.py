"""A set of features: their names, and a way to find those that occur in a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, Self, TypeAlias

from kgprobe.rdf.graph import Graph

__all__ = ["FeatureSet", "Find"]

# Finds the features of a graph, which must be the seed graph or made from it.
Find: TypeAlias = Callable[[Graph], Iterable[str]]


class FeatureSet(Protocol):
    """A set of features."""

    @property
    def name(self) -> str:
        """The name that a user gives."""
        ...

    @property
    def features(self) -> Sequence[str]:
        """All features, in order."""
        ...

    @property
    def size(self) -> int:
        """The number of features that makes a share of 1."""
        ...

    def finder(self, seed: Graph) -> Find:
        """A function for graphs made from this one. It reads the seed graph once, and then only changes, if it can."""
        ...

    def short(self, feature: str) -> str:
        """The feature in a few characters, for people."""
        ...

    @property
    def basis(self) -> FeatureSet:
        """The set whose features these consist of: this set, unless its features are combinations."""
        ...

    def parts(self, feature: str) -> tuple[str, ...]:
        """The features of the basis that have to come together in a graph for this one."""
        ...


class Elementary:
    """What sets have in common if their features are not combinations of others."""

    @property
    def basis(self) -> Self:
        return self

    def parts(self, feature: str) -> tuple[str, ...]:
        return (feature,)

    def short(self, feature: str) -> str:
        return feature
