"""The fourth part of the demo: a robot is tested on mutants, its bug is found and made small, and masks rule it out."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import campaign
from kgprobe.campaign.store import Finding, read_store
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.demo.case_studies import case_study
from kgprobe.oracles.known import KnownBugs

__all__ = ["show"]

_MUTANTS = 40
_WORKERS = 2
_BUG = "passed and not inspected"
# What each profile of the case study adds to the one before.
_MASKS = {
    "0-no-mask": "no mask",
    "1-position": "the robot is at one segment",
    "2-start": "where the pipe begins",
    "3-linear": "no pipe branches",
    "4-connected": "all is one pipe",
}


def show() -> Iterator[str]:
    """Run it, and say what happens line by line."""
    yield "System     a robot that inspects a pipe; the oracle: every segment was inspected"
    with tempfile.TemporaryDirectory(prefix="kgprobe-demo-") as name:
        folder = Path(shutil.copytree(case_study("pipes"), Path(name) / "pipes"))
        for number, (profile, words) in enumerate(_MASKS.items()):
            summary = _tested(folder / f"{profile}.toml")
            yield f"{'Campaigns' if not number else '':<11}{words:<29}{_counted(summary)}"
            if not number:
                bug = next(found for found in summary.findings if _BUG in found.finding.signature)
                story = bug.finding.reductions[0].graph
    yield f"The bug    {bug.finding.signature}"
    yield "           reduced to what it needs:"
    yield from (f"             {line}" for line in story.splitlines() if not line.startswith("@prefix"))


def _tested(path: Path) -> Summary:
    profile = load_profile(path)
    profile = dataclasses.replace(profile, method=dataclasses.replace(profile.mutation, mutants=_MUTANTS))
    for _ in campaign(profile, lambda job: LocalWorkers(job, _WORKERS), on_note=_silent, on_step=_silent):
        pass
    with read_store(profile.campaign.store) as store:
        return summary_of(store, KnownBugs([]))


def _counted(summary: Summary) -> str:
    kinds = [_kind(found.finding) for found in summary.findings]
    word = "finding" if len(kinds) == 1 else "findings"
    return f"{summary.cases} mutants, {len(kinds)} {word}" + (f": {', '.join(kinds)}" if kinds else "")


def _kind(finding: Finding) -> str:
    return finding.kind if finding.kind == "crashed" else finding.shape.rpartition(": a segment was ")[2]


def _silent(_: object) -> None: ...
