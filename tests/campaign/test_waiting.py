"""Campaigns with many requests in flight, counted by a real server that sleeps."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.commands import kgprobe, kgprobe_in_the_background
from support.counting_server import Answer, serving

from kgprobe.campaign.events import Judged
from kgprobe.campaign.executor import Job, PackedInput, Task, packed_graph
from kgprobe.campaign.harness import harness_of
from kgprobe.campaign.local import LocalWorkers, WaitingWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, UnavailableError
from kgprobe.formats.files import load
from kgprobe.model import PASSED_A_LIMIT, Outcome

from .campaigns import results_in, write_campaign

WORKERS = 12
PAUSE = 0.15


def answer_slowly(body: bytes) -> Answer:
    """Answer after a delay, with a size or, for some sizes, with an error."""
    time.sleep(PAUSE)
    lines = body.count(b"\n")
    return (500, "text/plain", b"no") if lines % 5 == 3 else (200, "application/json", str(lines).encode())


def profile_for(folder: Path, url: str, more: str = "", *, mutants: int = 40, seconds: int = 20) -> Path:
    """A campaign against a server, with the graphs and operators of examples/pipes."""
    path = write_campaign(folder, mutants=mutants)
    text = path.read_text()
    table = f'[[systems]]\nname = "planner"\nhttp = "{url}"\nseconds = {seconds}\n{more}\n'
    path.write_text(text[: text.index("[python]")] + "[campaign]\nreduce = 0\n" + table)
    return path


def run(path: Path, executor: type[LocalWorkers | WaitingWorkers], workers: int) -> list[Judged]:
    """Run a campaign to its end."""
    events = run_campaign(load_profile(path), lambda job: executor(job, workers))
    return [event for event in events if isinstance(event, Judged)]


def job_in(path: Path) -> Job:
    """The job of a campaign."""
    return Job(harness_of(load_profile(path)))


def test_many_requests_are_in_flight_and_the_results_are_the_same(tmp_path: Path) -> None:
    with serving(answer_slowly) as server:
        path = profile_for(tmp_path / "waiting", server.url)
        assert len(run(path, WaitingWorkers, WORKERS)) == 40
        assert server.most_at_once == WORKERS
        sent = sorted(server.bodies)
        assert len(sent) == 41

        server.bodies.clear()
        server.most_at_once = 0
        local = profile_for(tmp_path / "local", server.url)
        assert len(run(local, LocalWorkers, 2)) == 40
        assert server.most_at_once <= 2
        assert sorted(server.bodies) == sent
    assert results_in(path) == results_in(local)
    outcomes = {outcome for _, outcome, *_ in results_in(path)[0]}  # type: ignore[attr-defined]
    assert outcomes == {"pass", "fail"}


def test_one_slow_request_blocks_neither_the_others_nor_the_end(tmp_path: Path) -> None:
    first = threading.Lock()
    is_over = threading.Event()
    mutants = threading.Semaphore(1)

    def answer(body: bytes) -> Answer:
        is_seed = first.acquire(blocking=False)
        if not is_seed and mutants.acquire(blocking=False):
            is_over.wait(60)  # far beyond the time limit
        return 200, "application/json", str(body.count(b"\n")).encode()

    with serving(answer) as server:
        path = profile_for(tmp_path / "campaign", server.url, mutants=20, seconds=2)
        start = time.monotonic()
        judged = run(path, WaitingWorkers, 4)
        is_over.set()
    assert time.monotonic() - start < 30
    slow = [event for event in judged if event.verdict.failures]
    assert [event.verdict.failures[0].kind for event in slow] == [PASSED_A_LIMIT]
    assert judged[-1] is slow[0]  # the others did not wait for it


def test_a_system_that_ignores_its_time_limit_is_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()
    look_up = socket.getaddrinfo

    def hangs(host: str, *arguments: Any, **more: Any) -> Any:
        if host == "hangs.invalid":
            is_over.wait(60)
        return look_up(host, *arguments, **more)

    monkeypatch.setattr("kgprobe.campaign.local._SECONDS_OVER_THE_LIMIT", 0.2)
    with serving(answer_slowly) as server:
        path = profile_for(tmp_path / "campaign", f"http://localhost:{server.port}/", seconds=1)
        job = job_in(path)
        with closing(WaitingWorkers(job, 1)) as executor:
            task = Task(1, "case", packed_seed(path))
            executor.submit(task)
            assert [result.error for result in executor.wait()] == [None]
            monkeypatch.setattr(socket, "getaddrinfo", lambda _, *each, **more: hangs("hangs.invalid", *each, **more))
            executor.submit(task)
            [result] = executor.wait()
            assert result.verdict is not None
            assert result.verdict.outcome is Outcome.UNDECIDED
            assert "planner did not return" in result.verdict.why
            monkeypatch.setattr(socket, "getaddrinfo", look_up)
            executor.submit(task)  # another thread has taken its place
            assert [result.error for result in executor.wait()] == [None]
        is_over.set()


def packed_seed(path: Path) -> PackedInput:
    """The seed graph of a campaign, packed."""
    return packed_graph(load(path.parent / "pipes.ttl").graph)


def test_a_server_that_does_not_exist(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        path = profile_for(tmp_path / "campaign", f"http://127.0.0.1:{probe.getsockname()[1]}/")
        with pytest.raises(UnavailableError, match=r"planner.*start the server first"):
            run(path, WaitingWorkers, 3)


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        ('command = ["true", "{graph}"]', "'planner' runs on this machine"),
        ('reasoner = "auto"', "'planner' runs on this machine"),
        (
            'http = "http://127.0.0.1:{port}/"\nservice = { start = ["true", "{port}"] }',
            "kgprobe starts the server of 'planner'",
        ),
    ],
)
def test_local_systems_are_refused(tmp_path: Path, system: str, reason: str) -> None:
    path = profile_for(tmp_path / "campaign", "http://127.0.0.1:1/")
    path.write_text(path.read_text().replace('http = "http://127.0.0.1:1/"', system))
    with pytest.raises(InputError, match=rf"{reason}.*--executor local"):
        run(path, WaitingWorkers, 3)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_campaign_at_once_and_the_same_command_resumes_it(tmp_path: Path) -> None:
    is_over = threading.Event()
    seed = threading.Lock()

    def answer(_: bytes) -> Answer:
        if not seed.acquire(blocking=False):
            is_over.wait(60)
        return 200, "application/json", b"1"

    with serving(answer) as server:
        path = profile_for(tmp_path / "campaign", server.url, mutants=30, seconds=50)
        command = ["test", str(path), "--executor", "waiting", "--workers", "6"]
        process = kgprobe_in_the_background(*command)
        end = time.monotonic() + 60
        while server.most_at_once < 6:
            assert time.monotonic() < end
            time.sleep(0.01)
        start = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 130
        assert time.monotonic() - start < 10
        is_over.set()
        finished = kgprobe(*command, seconds=100)
        assert finished.returncode == 0, finished.stderr
        assert "30 cases: 30 passed" in finished.stdout
