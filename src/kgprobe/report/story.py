"""The story of one finding: how its graph came about, what happened, what is left of it, and how to see it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from kgprobe.campaign.reducing import reduced_file
from kgprobe.campaign.store import Planned, Reduced, Store
from kgprobe.campaign.summary import NumberedFinding
from kgprobe.graph.spelling import Spelling
from kgprobe.mutation.manifest import read_steps
from kgprobe.mutation.words import explained

__all__ = ["story_lines"]


def story_lines(found: NumberedFinding, store: Store) -> Iterator[str]:
    """All that is known of a finding, line by line."""
    finding = found.finding
    yield f"{found.number}. {finding.signature}"
    if found.known is not None:
        yield f"   a known bug: {found.known}" if found.known else "   a known bug"
    yield f"   in {finding.cases} {'case' if finding.cases == 1 else 'cases'}, first in {found.case}"
    yield ""
    yield "What was seen"
    yield from (f"  {line}" for line in finding.words or ("nothing more",))
    case = store.case(finding.first)
    if case is not None and case.steps is not None:
        yield ""
        yield from _steps(found.case, case, store)
    for reduced in finding.reductions:
        yield ""
        yield from _reduction(reduced, finding.first)
    yield ""
    yield "See it again"
    profile = shlex.quote(store.value("profile") or "PROFILE")
    place = f" --store {shlex.quote(str(store.path))}" if _is_elsewhere(store) else ""
    for reduced in finding.reductions:
        file = shlex.quote(str(reduced_file(store.path, finding, reduced.number)))
        yield f"  kgprobe test {profile} --on {file}"
    yield f"  kgprobe test {profile} --case {finding.first}{place}"


def _is_elsewhere(store: Store) -> bool:
    """Whether the store is not where its profile would look for it."""
    return Path(store.value("profile") or "").with_suffix(".sqlite") != store.path


def _steps(name: str, case: Planned, store: Store) -> Iterator[str]:
    steps = read_steps(case.steps or "[]")
    prefixes = json.loads(store.value("prefixes") or "[]")
    summaries = json.loads(store.value("operators") or "{}")
    spelling = Spelling(prefixes[case.seed] if case.seed < len(prefixes) else {})
    yield f"How {name} came about, in {len(steps)} {'step' if len(steps) == 1 else 'steps'}"
    for number, step in enumerate(steps, start=1):
        first, *changes = explained(step, summaries.get(step.operator, ""), spelling)
        yield f"  {number}. {first}"
        yield from (f"       {line}" for line in changes)


def _reduction(reduced: Reduced, first: int) -> Iterator[str]:
    figures = reduced.figures
    which = "" if reduced.number == first else f" (case {reduced.number})"
    sizes = f"from {figures['triples_before']} triples to {figures['triples_after']}, in {figures['system_runs']} runs"
    yield f"Reduced{which}, {sizes}"
    if figures["rate"] < 1:
        yield f"  it fails in {100 * figures['rate']:.0f} % of all runs"
    yield from (f"  {line}" for line in reduced.graph.rstrip("\n").splitlines())
