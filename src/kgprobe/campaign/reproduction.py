"""A finding as files: the failing graph, and a test for pytest that fails until the bug is fixed."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

from kgprobe.campaign.one_case import input_of_case
from kgprobe.campaign.sources.catalogue import kind_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_values import Finding, Planned, Reduced
from kgprobe.config.loading import load_profile
from kgprobe.config.writing import relative
from kgprobe.errors import InputError, Position
from kgprobe.graph.graph import Graph
from kgprobe.model import GraphInput

__all__ = ["failing_graph", "test_text"]

_MOST_RUNS = 100
_OVERLOOKED = 0.01  # the accepted chance that a test overlooks a flaky bug

_TEST = '''\
"""{title}

The graph beside this file makes the software fail. This test fails until that is fixed. It was written by
`kgprobe show`; the profile says what is run, and how it is judged.
"""

from pathlib import Path

from kgprobe.campaign.one_case import verdict_on_graph
from kgprobe.config.loading import load_profile
from kgprobe.model import Outcome
from kgprobe.report.campaign import verdict_lines

HERE = Path(__file__).resolve().parent
PROFILE = HERE / {profile}
GRAPH = HERE / {graph}
ORIGIN = {origin}
RUNS = {runs}


def test_{name}() -> None:
    profile = load_profile(PROFILE)
    for _ in range(RUNS):
        name, verdict = verdict_on_graph(profile, GRAPH, origin=ORIGIN)
        assert verdict.outcome in (Outcome.PASS, Outcome.INVALID), "\\n".join(verdict_lines(name, verdict))
'''


def failing_graph(finding: Finding, store: Store, *, whole: bool) -> Graph:
    """The graph that shows a finding: the smallest that is known, or the whole one as it was first seen."""
    reduced = _smallest(finding)
    if reduced is not None and not whole:
        return store.graph(reduced)
    profile = load_profile(_profile(store))
    profile = replace(profile, campaign=replace(profile.campaign, store=store.path))
    found = input_of_case(profile, finding.first)
    if not isinstance(found, GraphInput):
        raise InputError(f"case {finding.first} is a {found.kind}, not a graph", where=Position(str(store.path)))
    return found.graph


def test_text(finding: Finding, store: Store, test: Path, graph: Path) -> str:
    """A test in this file that runs the systems on this graph."""
    reduced = _smallest(finding)
    case = store.case(finding.first if reduced is None else reduced.number)
    title = re.sub(r'[\\"]', "'", finding.signature)
    return _TEST.format(
        title=title if len(title) <= 100 else title[:99] + "…",
        profile=_python(relative(_profile(store), test.parent)),
        graph=_python(relative(graph, test.parent)),
        origin=_python(_origin(store, case)),
        runs=1 if reduced is None else _runs(float(reduced.figures["rate"])),
        name=re.sub(r"\W+", "_", f"{finding.system} {finding.kind}".casefold(), flags=re.ASCII).strip("_"),
    )


def _origin(store: Store, case: Planned | None) -> str:
    """The name of the graph that a case was derived from."""
    sources = store.sources()
    if case is None:
        return sources[0].name
    with store.reading():
        return kind_in(store).origin(sources[case.source].name, case.recipe)


def _smallest(finding: Finding) -> Reduced | None:
    return min(finding.reductions, key=lambda reduced: int(reduced.figures["triples_after"]), default=None)


def _profile(store: Store) -> Path:
    profile = store.value("profile")
    if profile is None or not Path(profile).is_file():
        where = Position(str(store.path))
        raise InputError(f"the profile of this campaign, {profile}, does not exist any more", where=where)
    return Path(profile)


def _runs(rate: float) -> int:
    """So often that a failure with this rate is most likely seen."""
    return 1 if rate >= 1 else min(_MOST_RUNS, math.ceil(math.log(_OVERLOOKED) / math.log(1 - rate)))


def _python(text: str) -> str:
    """A string as Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=True)
