"""The story of one finding: its failure, the origin of its case, the reduced graph, and how to reproduce it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgprobe.campaign.sources.catalogue import kind_in
from kgprobe.campaign.store import Store, reduced_file
from kgprobe.campaign.store_reading import Reduced
from kgprobe.campaign.summary import NumberedFinding
from kgprobe.report.wording import number_of

__all__ = ["story_lines"]


def story_lines(found: NumberedFinding, store: Store) -> Iterator[str]:
    """The lines of the story."""
    finding = found.finding
    yield f"{found.number}. {finding.signature}"
    if found.known is not None:
        yield f"   a known bug: {found.known}" if found.known else "   a known bug"
    yield f"   in {finding.cases} {'case' if finding.cases == 1 else 'cases'}, first in {found.case}"
    yield ""
    yield f"Failure in {found.case}"
    yield from (f"  {line}" for line in finding.words or ("no details",))
    origin = _origin(found, store)
    if origin:
        yield ""
        yield from origin
    for reduced in finding.reductions:
        yield ""
        yield from _reduction(reduced, finding.first)
    yield ""
    yield "Reproduce with"
    profile = shlex.quote(store.value("profile") or "PROFILE")
    place = f" --store {shlex.quote(str(store.path))}" if _is_elsewhere(store) else ""
    for reduced in finding.reductions:
        file = shlex.quote(str(reduced_file(store.path, finding, reduced.number)))
        yield f"  kgprobe test {profile} --on {file}"
    yield f"  kgprobe test {profile} --case {finding.first}{place}"


def _is_elsewhere(store: Store) -> bool:
    """Whether the store is not in its default place, beside the profile."""
    return Path(store.value("profile") or "").with_suffix(".sqlite") != store.path


def _origin(found: NumberedFinding, store: Store) -> list[str]:
    """The origin of the first case of a finding."""
    case = store.case(found.finding.first)
    if case is None:
        return []
    with store.reading():
        source = store.sources()[case.source].name
        return list(kind_in(store).story(source, found.case, case.recipe, store.about))


def _reduction(reduced: Reduced, first: int) -> Iterator[str]:
    figures = reduced.figures
    which = "" if reduced.number == first else f" (case {reduced.number})"
    how = "" if reduced.is_finished else ", when the time was up: a longer --for resumes it"
    before, after = figures["triples_before"], figures["triples_after"]
    yield f"Reduced{which}, from {before} triples to {after}, in {figures['system_runs']} runs{how}"
    yield from (f"  {line}" for line in reduced.graph.rstrip("\n").splitlines())
    yield ""
    yield "Failure of the reduced graph"
    yield from (f"  {line}" for line in figures["words"])
    yield f"  {_how_often(figures)}"
    yield from (f"  {line}" for line in _needed(figures["needed"]))


def _how_often(figures: Mapping[str, Any]) -> str:
    before = float(figures["rate_before"])
    runs = f"{figures['failed']} of {number_of(figures['runs'], 'run')}"
    is_certain = figures["rate"] == before == 1
    return f"it fails {runs}" + ("" if is_certain else f"; the whole graph failed {before:.0%} of its runs")


def _needed(changes: Sequence[str] | None) -> Iterator[str]:
    """The changes to the seed graph that the failure of the reduced graph needs, if they are known."""
    if changes is None:
        return
    if not changes:
        yield "no mutation is needed: this part of the seed graph fails by itself"
        return
    yield f"the failure needs {'this change' if len(changes) == 1 else 'these changes'} to the seed graph:"
    yield from (f"  {line}" for line in changes)
