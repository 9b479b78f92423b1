"""Reductions within a campaign: they resume, failures of limits are one failure, and expensive ones have a budget."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from kgprobe.campaign import reducing
from kgprobe.campaign.events import Event, Note, Reducing, ReductionDone
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.model import PASSED_A_LIMIT, Observation, Status
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.reduction.problem import REPEATS

from .campaigns import InThisProcess, write_campaign

# It counts its runs, and fails on larger graphs.
_COUNTING = """
from pathlib import Path
def inspect(graph):
    with Path(__file__).with_name("runs").open("a") as log:
        log.write("x")
    if len(graph) > 8:
        raise ValueError("it is large")
    return "ok"
"""
# It fails every second time that it runs on a graph of a certain size.
_FLAKY = """
from pathlib import Path
def inspect(graph):
    log = Path(__file__).with_name("runs")
    with log.open("a") as stream:
        stream.write("x")
    if len(graph) > 8 and log.stat().st_size % 2:
        raise ValueError("now and then")
    return "ok"
"""


def _events(profile: Path) -> list[Event]:
    return list(run_campaign(load_profile(profile), InThisProcess))


def _prepared(folder: Path, system: str, *, mutants: int = 6) -> Path:
    profile = write_campaign(folder, mutants=mutants, system=system)
    profile.write_text(profile.read_text().replace('oracle = "mission.py:is_complete"', ""))
    return profile


def _runs(profile: Path) -> int:
    return (profile.parent / "runs").stat().st_size


def _reductions(profile: Path) -> list[tuple[str, int, str, int]]:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return [
            (finding.signature, each.number, each.graph, each.figures["system_runs"])
            for finding in store.findings()
            for each in finding.reductions
        ]


@pytest.mark.parametrize("interrupted_after", [3, REPEATS + 5, REPEATS + 20])
def test_an_interrupted_reduction_goes_on_where_it_was(tmp_path: Path, interrupted_after: int) -> None:
    whole, parts = (_prepared(tmp_path / name, _COUNTING) for name in ("whole", "parts"))
    _events(whole)
    assert _reductions(whole)
    assert _reductions(whole)[0][3] > interrupted_after, "the reduction is too short for this test"
    for _ in range(2):  # also if it is interrupted again
        steps = 0
        with closing(run_campaign(load_profile(parts), InThisProcess)) as events:
            for event in events:
                steps += isinstance(event, Reducing)
                if steps == interrupted_after:
                    break
    _events(parts)
    assert _reductions(parts) == _reductions(whole)
    # Only the first look at a case that was not complete is repeated, and the run that was under way.
    assert _runs(parts) <= _runs(whole) + 2 * (REPEATS if interrupted_after < REPEATS else 1)
    before = _runs(parts)
    _events(parts)
    assert _runs(parts) == before


def test_a_flaky_failure_is_noticed_early_and_does_not_cost_thousands_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reducing, "_RUNS_FOR_A_FLAKY_FAILURE", 20)
    profile = _prepared(tmp_path / "flaky", _FLAKY, mutants=2)
    events = _events(profile)
    [note] = [event.text for event in events if isinstance(event, Note) and "runs" in event.text]
    assert "fails in 5 of 10 runs: reducing it takes many runs, and ends after 20 of them" in note
    assert note.endswith("; the same command continues it")
    done = [event for event in events if isinstance(event, ReductionDone)]
    assert [each.reduced is not None and each.reduced.is_finished for each in done] in ([], [False])
    before = _runs(profile)
    _events(profile)
    assert before < _runs(profile) <= before + 20


def test_both_limits_are_one_failure() -> None:
    verdicts = [
        ExitStatus().of(Observation("tool", status, 2.0)) for status in (Status.TIMED_OUT, Status.OUT_OF_MEMORY)
    ]
    signatures = {failure.signature for verdict in verdicts for failure in verdict.failures}
    assert signatures == {f"tool: {PASSED_A_LIMIT}"}
    assert [verdict.failures[0].words for verdict in verdicts] == [
        ("timed out after 2 s",),
        ("out of memory after 2 s",),
    ]


# A loop that takes memory: whether the time or the memory is used up first depends on the run.
_LOOP = """
import time
from pathlib import Path
def inspect(graph):
    log = Path(__file__).with_name("runs")
    with log.open("a") as stream:
        stream.write("x")
    if len(graph) <= 8:
        return "ok"
    if log.stat().st_size % 2:
        taken = bytearray(400 << 20)
        for place in range(0, len(taken), 4096):
            taken[place] = 1
    while True:
        time.sleep(1)
"""


def test_a_loop_that_passes_either_limit_is_one_finding_and_fails_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reducing, "_SECONDS_FOR_A_HANG", 1)
    profile = _prepared(tmp_path / "loop", _LOOP, mutants=2)
    text = profile.read_text().replace("seconds = 20", "seconds = 0.5, memory-mb = 200")
    profile.write_text(text)
    events = _events(profile)
    with read_store(profile.with_suffix(".sqlite")) as store:
        assert [finding.signature for finding in store.findings()] == [f"robot: {PASSED_A_LIMIT}"]
    assert any("each run that hangs takes until its limit" in event.text for event in events if isinstance(event, Note))
    assert not [each for each in events if isinstance(each, ReductionDone) and "did not fail again" in each.why]
