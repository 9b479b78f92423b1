"""The result of making mutants, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.masks.mask import undecided_among
from kgprobe.mutation.generator import Tally
from kgprobe.wording import number_of

__all__ = ["Made", "rejection_lines"]


def rejection_lines(rejected: Mapping[str, int], attempts: int) -> Iterator[str]:
    """How many inputs each check of the mask rejected, the most frequent first, and what that means for the sample."""
    for check, count in sorted(rejected.items(), key=lambda item: (-item[1], item[0])):
        yield f"  rejected by  {check}: {count}"
    undecided = undecided_among(rejected)
    if undecided:
        were = "was" if undecided == 1 else "were"
        many = f"{undecided} of {number_of(attempts, 'attempt')} {were} undecided"
        yield f"  biased       {many}: inputs that are hard to judge are missing"


@dataclass(frozen=True)
class Made:
    """The mutants of one seed graph."""

    graph: Path
    manifest: Path
    tally: Tally
    asked: int

    @property
    def missing(self) -> int:
        """The number of requested mutants that could not be made."""
        return self.asked - self.tally.kept

    def lines(self) -> Iterator[str]:
        """The result as lines of text."""
        tally = self.tally
        kept = f"{tally.kept} of " if self.missing else ""
        yield f"{self.graph.name}: {kept}{number_of(self.asked, 'mutant')} in {self.manifest.parent}"
        share = f", {tally.attempts / tally.kept:.1f} per mutant" if tally.kept else ""
        yield f"  attempts     {tally.attempts}{share}"
        yield from rejection_lines(tally.rejected, tally.attempts)
        if tally.duplicates:
            yield f"  duplicates   {tally.duplicates}"
        if tally.stuck:
            yield f"  stuck        {tally.stuck}, because no operator applied"
        if tally.applied:
            often = ", ".join(f"{name} {times}" for name, times in tally.applied.most_common(3))
            yield f"  operators    {len(tally.applied)}, most often {often}"
        yield f"  manifest     {self.manifest}"

    def value(self) -> dict[str, object]:
        """The result as JSON."""
        tally = self.tally
        return {
            "graph": str(self.graph),
            "manifest": str(self.manifest),
            "asked": self.asked,
            "mutants": tally.kept,
            "attempts": tally.attempts,
            "duplicates": tally.duplicates,
            "stuck": tally.stuck,
            "rejected": dict(tally.rejected.most_common()),
            "undecided": undecided_among(tally.rejected),
            "operators": dict(tally.applied.most_common()),
        }
