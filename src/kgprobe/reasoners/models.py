"""Finds a finite model of an ontology, and keeps it a model while axioms come and go.

A model starts with the individuals. Whatever breaks a condition (`conditions`) is mended by more facts: a class, a
link, a thing that must exist. Where there is a choice, one way is tried after the other. A model counts only if no
condition is broken any more, whatever the way to it. If the search fails, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from kgprobe.owl.expression import Argument, Expression
from kgprobe.reasoners.conditions import (
    Conditions,
    conditions_of,
    satisfies,
)
from kgprobe.reasoners.features import has_only_known_values
from kgprobe.reasoners.interpretation import BeyondModelsError, Interpretation
from kgprobe.reasoners.model_search import Effort, Search

__all__ = ["Effort", "SeedModel", "find_model"]

_FOR_MENDING = Effort(facts=100_000, looks=50_000, ways=25)


def find_model(axioms: Iterable[Expression], effort: Effort | None = None) -> Interpretation | None:
    """A finite model of the axioms; None if none was found, which proves nothing."""
    found = SeedModel.of(axioms, effort)
    return None if found is None else found.model


class SeedModel:
    """A model of an ontology, from which models of variants follow."""

    def __init__(self, model: Interpretation, conditions: Conditions, *, shares: bool) -> None:
        self.model = model
        self._conditions = conditions
        self._shares = shares

    @classmethod
    def of(cls, axioms: Iterable[Expression], effort: Effort | None = None) -> SeedModel | None:
        """A model of these axioms; None if none was found."""
        stated = list(axioms)
        ranges = _data_ranges(stated)
        conditions = _conditions_on(stated, ranges)
        if conditions is None:
            return None
        for shares in (True, False):
            model = Interpretation(ranges)
            search = Search(model, [conditions], shares=shares, effort=effort or Effort())
            if search.finds(stated) and all(satisfies(model, axiom) for axiom in stated):
                return cls(model, conditions, shares=shares)
        return None

    def admits(self, added: Sequence[Expression], removed: frozenset[Expression]) -> bool:
        """Whether a model was found of the ontology with these axioms more, and without those."""
        with self.variant(added, removed) as model:
            return model is not None

    @contextmanager
    def variant(self, added: Sequence[Expression], removed: frozenset[Expression]) -> Iterator[Interpretation | None]:
        """Within this block, the model is one of the ontology with these axioms more, and without those.

        None if none was found. Afterwards, the model is as it was.
        """
        ranges = _data_ranges(added)
        is_known = not any(axiom.head == "DatatypeDefinition" for axiom in removed)
        if not is_known or not self.model.ranges.keys().isdisjoint(ranges):
            yield None
            return
        size = self.model.size
        with self.model.defining(ranges):
            try:
                yield self.model if not added or self._is_mended(added, removed) else None
            finally:
                self.model.undo(size)

    def _is_mended(self, added: Sequence[Expression], removed: frozenset[Expression]) -> bool:
        conditions = _conditions_on(added, self.model.ranges)
        if conditions is None:
            return False
        size = self.model.size
        for shares in (self._shares, not self._shares):
            self.model.undo(size)
            both = [self._conditions, conditions]
            search = Search(self.model, both, removed=removed, shares=shares, effort=_FOR_MENDING)
            if search.finds(added):
                return True
        return False


def _conditions_on(axioms: Sequence[Expression], ranges: Mapping[Argument, Argument]) -> Conditions | None:
    """The conditions of axioms; None if some of them are beyond models."""
    if not has_only_known_values(axioms, ranges):
        return None
    conditions = Conditions()
    try:
        for axiom in axioms:
            conditions.add(conditions_of(axiom))
    except BeyondModelsError:
        return None
    return conditions


def _data_ranges(axioms: Iterable[Expression]) -> dict[Argument, Argument]:
    return {axiom.args[0]: axiom.args[1] for axiom in axioms if axiom.head == "DatatypeDefinition"}
