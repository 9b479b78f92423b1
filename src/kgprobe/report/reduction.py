"""The result of a reduction, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgprobe.campaign.experiment import Kept
from kgprobe.config.preparation import NO_LIMITS, Limits
from kgprobe.model import Failure
from kgprobe.reduction.graph_problem import with_more
from kgprobe.reduction.reducer import Reduction
from kgprobe.wording import number_of

__all__ = ["Reduced", "size_of"]


def size_of(figures: Mapping[str, Any], unit: str) -> str:
    """How large a reduced case is: what is pinned is only named, and of two graphs, the changed triples are counted."""
    own = int(figures.get("own_triples", figures["triples_after"]))
    size = number_of(own, unit)
    if figures.get("seed_graph") is not None:
        size += f" ({figures['changes']} changed)"
    pinned = figures.get("pinned")
    return f"{size}, and {pinned}" if pinned else size


@dataclass(frozen=True, kw_only=True)
class Reduced:
    """A reduction, its settings, and the file with the reduced graph.

    `shown` is the failure on the reduced graph. The graph had to stay within `limits`; what they pin is only named.
    For a difference, `seed_written` is the file with the part of the seed graph that the result is compared with.
    """

    graph: str
    reduction: Reduction
    kept: Kept
    written: Path
    algorithm: str
    shown: Failure | None = None
    limits: Limits = NO_LIMITS
    seed_written: Path | None = None

    def lines(self) -> Iterator[str]:
        """The result as lines of text."""
        reduction = self.reduction
        figures = self._figures()
        before, after = number_of(reduction.triples_before, "triple"), size_of(figures, "triple")
        # The number of axioms includes those that are pinned, so it says nothing about the triples that are shown.
        axioms = "" if figures["pinned"] else f", {number_of(reduction.axioms_after, 'axiom')}"
        runs = number_of(reduction.system_runs, "run")
        yield f"{Path(self.graph).name}: {before} → {after}{axioms}, in {runs}{self._how_small()}"
        yield f"  keeps        {self.kept.text}"
        if self.shown is not None and self.shown.words:
            yield f"  gives        {self.shown.words[0]}"
        for signature in self.kept.others:
            yield f"  not kept     {signature}"
        changed = self._changed()
        if changed is not None:
            are = "is" if changed == 1 else "are"
            yield f"  mutations    {number_of(changed, 'changed triple')} of the seed graph {are} needed"
        yield f"  fails        {self._how_often()}"
        yield f"  written to   {self.written}"
        if self.seed_written is not None:
            yield f"  seed graph   {self.seed_written}"

    def value(self) -> dict[str, object]:
        """The result as JSON."""
        reduction = self.reduction
        return {
            "graph": self.graph,
            "written": str(self.written),
            "algorithm": self.algorithm,
            "keeps": self.kept.text,
            "gives": [] if self.shown is None else list(self.shown.words),
            "not_kept": list(self.kept.others),
            "system_runs": reduction.system_runs,
            "triples_before": reduction.triples_before,
            "triples_after": reduction.triples_after,
            "axioms_after": reduction.axioms_after,
            **self._figures(),
            "is_minimal": reduction.is_minimal,
            "rate_before": reduction.rate_before.share,
            "runs_before": reduction.rate_before.runs,
            "rate": reduction.rate.share,
            "runs": reduction.rate.runs,
            "confidence": reduction.confidence,
        }

    def _figures(self) -> dict[str, object]:
        reduction = self.reduction
        both = reduction.graph if reduction.before is None else with_more(reduction.graph, reduction.before)
        own = len(self.limits.own(both))
        return {
            "triples_after": reduction.triples_after,
            "own_triples": own,
            "pinned": self.limits.pinned if own < len(both) else "",
            "changes": self._changed(),
            "seed_graph": None if self.seed_written is None else str(self.seed_written),
        }

    def _changed(self) -> int | None:
        """The number of changed triples of the seed graph that the result needs; None without a seed graph."""
        changes = self.reduction.changes
        return None if changes is None else len(changes.removed) + len(changes.added)

    def _how_small(self) -> str:
        if self.reduction.is_minimal:
            return f": no axiom and no triple can be left out{' within the mask' if self.limits != NO_LIMITS else ''}"
        return "" if self.reduction.is_complete else "; the limit on runs was reached"

    def _how_often(self) -> str:
        before, after = self.reduction.rate_before, self.reduction.rate
        if before.share == after.share == 1:
            return f"{after}"
        return f"{after}; the whole graph failed {before}"
