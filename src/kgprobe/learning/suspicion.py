"""How suspicious something is, by Ochiai's coefficient: what failing runs have, and passing ones lack.

A run has features; a step has features, too. In the runs of other mutants, a step is recognised by its features: its
operator, the kinds of triples that it changes, and the triples and names of the seed graph that it touches.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, Literal, Term, Triple

__all__ = ["Spectrum", "features_of", "ochiai"]

_Feature = TypeVar("_Feature", bound=Hashable)


def ochiai(failing_with: float, failing: int, with_it: int) -> float:
    """The coefficient, from 0 to 1: of all runs that fail, and all that have a feature, the share that does both."""
    return failing_with / math.sqrt(failing * with_it) if failing_with else 0.0


class Spectrum(Generic[_Feature]):
    """Counts runs by their features."""

    def __init__(self) -> None:
        self._failing = self._passing = 0
        self._failing_with: Counter[_Feature] = Counter()
        self._passing_with: Counter[_Feature] = Counter()

    def add(self, features: Collection[_Feature], *, fails: bool) -> None:
        """Count a run."""
        distinct = set(features)
        if fails:
            self._failing += 1
            self._failing_with.update(distinct)
        else:
            self._passing += 1
            self._passing_with.update(distinct)

    @property
    def has_both(self) -> bool:
        """Whether there are failing and passing runs. Otherwise, nothing is more suspicious than anything else."""
        return self._failing > 0 and self._passing > 0

    def suspicion(self, feature: _Feature) -> float:
        """How suspicious a feature is."""
        failing = self._failing_with[feature]
        return ochiai(failing, self._failing, failing + self._passing_with[feature])

    def excess(self, feature: _Feature) -> float:
        """The same, without the failing runs that would have the feature if it had nothing to do with the failure.

        A feature that almost all runs have would otherwise look suspicious whenever most runs fail.
        """
        failing, passing = self._failing_with[feature], self._passing_with[feature]
        by_chance = self._failing * passing / self._passing if self._passing else 0.0
        return ochiai(max(0.0, failing - by_chance), self._failing, failing + passing)

    def highest(self, features: Iterable[_Feature]) -> float:
        """How suspicious the most suspicious of these features is, by its excess."""
        return max(map(self.excess, features), default=0.0)


def features_of(step: MutationStep, seed: Graph) -> frozenset[str]:
    """The features of a step. Names that the seed graph lacks differ from mutant to mutant, and do not count."""
    return frozenset(_features(step, seed))


def _features(step: MutationStep, seed: Graph) -> Iterator[str]:
    yield f"operator {step.operator}"
    kinds = []
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        for triple in triples:
            kinds.append(f"{sign} {_kind(triple)}")
            places = {"subject": triple.subject, "object": triple.object}
            known = {place: term for place, term in places.items() if _is_known(term, seed)}
            if len(known) == len(places):
                yield f"{sign} {triple}"
            for place, term in known.items():
                if not isinstance(term, Literal):
                    yield f"{sign} {_kind(triple)} with {place} {term}"
    yield from kinds
    yield f"operator {step.operator}: {', '.join(sorted(kinds))}"


def _kind(triple: Triple) -> str:
    """The predicate of a triple, with the class if it says what something is."""
    return f"{triple.predicate} {triple.object}" if triple.predicate == RDF.type else str(triple.predicate)


def _is_known(term: Term | Triple, seed: Graph) -> bool:
    return not isinstance(term, Triple) and seed.mentions(term)
