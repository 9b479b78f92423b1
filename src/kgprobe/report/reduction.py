"""What came of a reduction, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgprobe.campaign.outcome import Kept
from kgprobe.reduction.reducer import Reduction
from kgprobe.report.wording import number_of

__all__ = ["Reduced"]


@dataclass(frozen=True, kw_only=True)
class Reduced:
    """A reduction, how it was asked for, and the file that the graph is in."""

    graph: str
    reduction: Reduction
    kept: Kept
    written: Path
    algorithm: str
    repeats: int

    def lines(self) -> Iterator[str]:
        """For people."""
        reduction = self.reduction
        before, after = number_of(reduction.triples_before, "triple"), number_of(reduction.triples_after, "triple")
        axioms, runs = number_of(reduction.axioms_after, "axiom"), number_of(reduction.system_runs, "run")
        yield f"{Path(self.graph).name}: {before} → {after}, {axioms}, in {runs}{self._how_small()}"
        yield f"  keeps        {self.kept.text}"
        for signature in self.kept.others:
            yield f"  not kept     {signature}"
        changed = self._changed()
        if changed is not None:
            are = "is" if changed == 1 else "are"
            yield f"  mutations    {number_of(changed, 'changed triple')} of the seed graph {are} needed"
        if self.repeats > 1:
            yield f"  fails        {self._how_often()}"
        yield f"  written to   {self.written}"

    def value(self) -> dict[str, object]:
        """For machines."""
        reduction = self.reduction
        return {
            "graph": self.graph,
            "written": str(self.written),
            "algorithm": self.algorithm,
            "keeps": self.kept.text,
            "not_kept": list(self.kept.others),
            "system_runs": reduction.system_runs,
            "triples_before": reduction.triples_before,
            "triples_after": reduction.triples_after,
            "axioms_after": reduction.axioms_after,
            "changes": self._changed(),
            "is_minimal": reduction.is_minimal,
            "rate": reduction.rate,
            "confidence": reduction.confidence,
        }

    def _changed(self) -> int | None:
        """How many triples of the seed graph are changed; None if it is not known what that was."""
        changes = self.reduction.changes
        return None if changes is None else len(changes.removed) + len(changes.added)

    def _how_small(self) -> str:
        if self.reduction.is_minimal:
            return ": no axiom and no triple can be left out"
        return "" if self.algorithm == "halving" else ", when the runs were used up"

    def _how_often(self) -> str:
        failed = f"in {round(self.reduction.rate * self.repeats)} of {self.repeats} first runs"
        if self.reduction.rate == 1:
            return failed
        return f"{failed}; that a part does not fail is said with a confidence of {self.reduction.confidence:g}"
