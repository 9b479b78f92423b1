"""A killed campaign resumes where it stopped: nothing is lost, and almost nothing is done twice."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from support.commands import kgprobe_in_the_background
from support.fork_server import Started

from kgprobe.reduction.problem import REPEATS

from .campaigns import PIPES, results_in, run, write_campaign

_MUTANTS = 120
_MOST_IN_FLIGHT = 4  # two workers, two tasks each
# The robot, a little slower, and with a log of its inputs.
_SLOW = """
import hashlib, os, time
import robot_itself

def inspect(graph):
    digest = hashlib.sha256("".join(sorted(map(str, graph))).encode()).hexdigest()
    with open(os.environ["RUNS"], "a") as log:
        log.write(digest + "\\n")
    time.sleep(0.03)
    return robot_itself.inspect(graph)
"""


@pytest.mark.parametrize(
    ("strategy", "kills"), [("uniform", 5), ("coverage", 3), pytest.param("uniform", 20, marks=pytest.mark.thorough)]
)
def test_a_campaign_killed_repeatedly_gives_the_same_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, kills: int
) -> None:
    random = Random(7)
    whole, parts = (_prepared(tmp_path / name, strategy) for name in ("whole", "parts"))
    monkeypatch.setenv("RUNS", str(tmp_path / "whole.log"))
    run(whole, workers=2)
    expected = results_in(whole)

    log = tmp_path / "parts.log"
    environment = {"RUNS": str(log)}
    ended_early = 0
    for _ in range(kills):
        process = _start(parts, environment)
        time.sleep(random.uniform(0.1, 2.0))
        ended_early += process.is_over
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
    assert ended_early < kills / 2, "it was over before it could be killed"
    assert _start(parts, environment).wait(300) == 1  # there are findings

    assert results_in(parts) == expected
    # Reductions run graphs of their own, so only those of cases can be compared: the first ones of the log. A reduction
    # runs its case several times to begin with, also without an interruption.
    counts = Counter(log.read_text().split())
    graphs = (tmp_path / "whole.log").read_text().split()
    expected_counts = Counter(graphs)
    more = sum(max(0, counts[each] - expected_counts[each]) for each in set(graphs[:_MUTANTS]))
    assert more <= kills * max(_MOST_IN_FLIGHT, REPEATS)


def _prepared(folder: Path, strategy: str) -> Path:
    profile = write_campaign(folder, mutants=_MUTANTS, system=_SLOW)
    (folder / "robot_itself.py").write_text((PIPES / "robot.py").read_text())
    profile.write_text(profile.read_text().replace("seed = 1", f'seed = 1\nstrategy = "{strategy}"'))
    return profile


def _start(profile: Path, environment: dict[str, str]) -> Started:
    return kgprobe_in_the_background("test", profile, "--workers", "2", environment=environment)


def test_ctrl_c_ends_it_in_good_order(tmp_path: Path) -> None:
    profile = _prepared(tmp_path / "folder", "uniform")
    process = _start(profile, {"RUNS": str(tmp_path / "log")})
    deadline = time.monotonic() + 60
    while not (tmp_path / "log").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(60) == 130
    results, *_ = results_in(profile)
    assert results
    assert not _children_left(profile.parent)


def test_workers_end_when_the_campaign_is_killed(tmp_path: Path) -> None:
    profile = _prepared(tmp_path / "folder", "uniform")
    process = _start(profile, {"RUNS": str(tmp_path / "log")})
    deadline = time.monotonic() + 60
    while not (tmp_path / "log").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    while _children_left(profile.parent) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not _children_left(profile.parent)


def _children_left(folder: Path) -> list[int]:
    """Processes that work for a campaign in this folder: they have it in their environment, as part of RUNS."""
    mark = f"RUNS={folder.parent}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                found.append(int(process.name))
        except (OSError, ValueError):
            continue
    return found
