"""The fourth part of the demo: test a robot on mutants, find a bug, reduce it, and see which masks rule it out."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.store_reading import Finding
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.demo.materials import case_study
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.processes.guard import guarded_folder

__all__ = ["show"]

_MUTANTS = 40
_WORKERS = 2
_BUG = "passed and not inspected"
# The condition that each profile of the case study adds to those before it.
_MASKS = {
    "0-no-mask": "no mask",
    "1-position": "the robot is at one segment",
    "2-start": "the robot starts at a pipe's start",
    "3-linear": "the pipe does not branch",
    "4-connected": "all segments are one pipe",
}


def show() -> Iterator[str]:
    """Run five campaigns, and show the bug that the first one finds."""
    yield "System     a robot that inspects a pipe"
    yield "Oracle     the robot must inspect every segment"
    yield "Campaigns  each mask below adds a condition; mutants that break it are not tested:"
    with guarded_folder() as temporary:
        folder = Path(shutil.copytree(case_study("pipes"), temporary / "pipes"))
        for number, (profile, words) in enumerate(_MASKS.items()):
            summary = _tested(folder / f"{profile}.toml")
            yield f"             {words:<35}{_counted(summary)}"
            if not number:
                bug = next(found for found in summary.findings if _BUG in found.finding.signature)
                story = bug.finding.reductions[0].graph
    yield f"Finding    {bug.finding.signature}"
    yield "           the failing graph, reduced to the triples that matter:"
    yield from (f"             {line}" for line in story.splitlines() if not line.startswith("@prefix"))


def _tested(path: Path) -> Summary:
    profile = load_profile(path)
    profile = dataclasses.replace(profile, method=dataclasses.replace(profile.mutation, mutants=_MUTANTS))
    for _ in run_campaign(profile, lambda job: LocalWorkers(job, _WORKERS)):
        pass
    with read_store(profile.campaign.store) as store:
        return summary_of(store, KnownBugs([]))


def _counted(summary: Summary) -> str:
    kinds = [_kind(found.finding) for found in summary.findings]
    word = "finding" if len(kinds) == 1 else "findings"
    return f"{summary.cases} mutants, {len(kinds)} {word}" + (f": {', '.join(kinds)}" if kinds else "")


def _kind(finding: Finding) -> str:
    return finding.kind if finding.kind == "crashed" else finding.shape.rpartition(": a segment was ")[2]
