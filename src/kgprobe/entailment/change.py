"""The effect of a graph change on the closure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kgprobe.entailment.closure import Closures, Difference
from kgprobe.entailment.regime import Regime
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import KeyTriple, collection_paused
from kgprobe.graph.terms import Triple

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["EntailedChange", "entailed_change"]


@dataclass(frozen=True)
class EntailedChange:
    """The closures of two graphs that share a table, and their difference in a stable order.

    The difference is stored as keys of the graph `names`; triples are built on demand. Under OWL 2 DL, if more than
    200,000 triples follow or the hierarchy has more than 20,000 edges, `old` and `new` contain only the stated triples
    and the inferred ones that the other closure lacks.
    """

    old: Graph
    new: Graph
    names: Graph
    gone: list[KeyTriple]
    come: list[KeyTriple]
    stated: frozenset[KeyTriple]  # triples that only one of the graphs states
    how: str

    @cached_property
    def removed(self) -> tuple[Triple, ...]:
        """The triples that only the old closure has."""
        return tuple(map(self.names.triple, self.gone))

    @cached_property
    def added(self) -> tuple[Triple, ...]:
        """The triples that only the new closure has."""
        return tuple(map(self.names.triple, self.come))

    @cached_property
    def asserted(self) -> frozenset[Triple]:
        """The triples of the difference that one of the graphs states; the others are inferred."""
        return frozenset(self.names.triple(keys) for keys in (*self.gone, *self.come) if keys in self.stated)

    def is_asserted(self, triple: Triple) -> bool:
        """Whether exactly one of the graphs states a triple of the difference."""
        return self.names.keys(triple) in self.stated


def entailed_change(old: Graph, new: Graph, regime: Regime, reasoner: Reasoner | None = None) -> EntailedChange:
    """Compare the closures of two graphs.

    Graphs that do not share a table are compared up to blank node labels; sharing one is faster. Results about `old`
    are cached in it, so its next change is cheaper. The given reasoner stays open.
    """
    with collection_paused():
        if old.table is not new.table:
            from kgprobe.graph.diff import aligned  # imported here because it loads numpy

            new = aligned(old, new).new
        stated = _stated_difference(old, new)
        found = _closures(old, new, regime, stated, reasoner)
    gone, come = found.difference
    return EntailedChange(found.old, found.new, old, gone, come, frozenset(stated[0]).union(stated[1]), found.how)


def _closures(old: Graph, new: Graph, regime: Regime, stated: Difference, reasoner: Reasoner | None) -> Closures:
    # Imported only if there are conclusions to draw.
    if regime is Regime.NONE:
        return Closures(old, new, stated, "asserted triples only")
    if regime is Regime.DL:
        from kgprobe.entailment.class_conclusions import closures_by_classes

        return closures_by_classes(old, new, stated, reasoner)
    from kgprobe.entailment.rule_conclusions import closures_by_rules

    return closures_by_rules(old, new, stated, regime)


def _stated_difference(old: Graph, new: Graph) -> Difference:
    """The triples that only one of two graphs on the same table has."""
    before, after = old.changed_keys, new.changed_keys
    only_before = [(keys, not is_added) for keys, is_added in before.items() if keys not in after]
    only_after = [(keys, is_added) for keys, is_added in after.items() if keys not in before]
    parts: dict[bool, list[KeyTriple]] = {False: [], True: []}
    for keys, has_come in (*only_before, *only_after):
        parts[has_come].append(keys)
    return parts[False], parts[True]
