"""Rules: a body of triple patterns that implies a head, and how often that is so in a graph."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.rdf.pattern import Binding, TriplePattern

__all__ = ["MinedRules", "Rule"]


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
