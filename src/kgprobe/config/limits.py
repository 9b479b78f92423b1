"""What a reduction must keep to: the mask of a profile, and what is pinned in the graph that is reduced."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.config.preparation import Seed
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Triple
from kgprobe.masks.mask import Cost, Mask
from kgprobe.masks.spelled import triple_text

__all__ = ["NO_LIMITS", "Limits"]


@dataclass(frozen=True)
class Limits:
    """Which graphs are admissible: those that the mask admits, and that have all triples that stay."""

    mask: Mask
    stays: tuple[Triple, ...] = ()

    @classmethod
    def of(cls, seed: Seed) -> Limits:
        """What graphs that are made of this one must keep to."""
        return cls(seed.mask, tuple(seed.pins.pinned_in(seed.graph)))

    def objection(self, graph: Graph) -> str | None:
        """Why a graph is not admissible, in words; None if it is."""
        for triple in self.stays:
            if triple not in graph:
                return f"{triple_text(triple, graph.spelling)} is pinned, and was removed"
        for check in self.mask.checks:
            if not check.admits(graph):
                if check.cost is Cost.REASONING:  # to find the axioms that clash can take minutes
                    return f"{check.name}: it is not known to be consistent"
                first, *others = check.rejections(graph)
                more = f", and {len(others)} more" if others else ""
                return f"{first.check}: {first.words}{more}"
        return None


NO_LIMITS = Limits(Mask())
