"""Campaigns on a Dask cluster: a real scheduler and real workers, one of which is killed."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest

from kgprobe.campaign import cluster
from kgprobe.campaign.cluster import DaskWorkers
from kgprobe.campaign.executor import ChangedGraph, Executor, Job, Task
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import job_of, run_campaign
from kgprobe.campaign.sources.mutants import Mutants
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Outcome, Verdict
from kgprobe.version import __version__

PIPES = Path(__file__).parents[2] / "examples" / "pipes"
CASES = 40
SECONDS = 120.0
_LOCAL = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
SEED = ChangedGraph("pipes", {})
DISTRIBUTED: Any = importlib.import_module("distributed")

PROFILE = """
[graph]
seeds = ["pipes.ttl"]
[mutation]
operators = ["operators/*.ru"]
mutations = 6
mutants = {cases}
seed = 1
[campaign]
reduce = 0
[[python.systems]]
name = "robot"
function = "watched.py:{function}"
"""

# Each call records its worker, and takes a while; a test can hold one worker up, or have all killed. Only the
# first call, on the seed graph, is never held up, since everything else waits for it.
WATCHED = """
import os, signal, time
from pathlib import Path
import robot

HERE = Path(__file__).parent

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

WORKER = parent(os.getppid())  # a guard is between the two

def inspect(graph):
    with (HERE / "calls").open("a") as calls:
        calls.write(f"{WORKER}\\n")
    is_seed = (HERE / "calls").read_text().count("\\n") == 1
    time.sleep(0.02)
    while not is_seed and (HERE / f"hold-{WORKER}").exists():
        time.sleep(0.01)
    if (HERE / "kill").exists():
        os.kill(WORKER, signal.SIGKILL)
    return robot.inspect(graph)
"""


@dataclass(frozen=True)
class Cluster:
    """A scheduler, and worker processes: killing one kills all that could run its tasks."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


@pytest.fixture(name="scheduler", scope="module")
def running_scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One scheduler for all tests, on a free port. Each test brings its own workers, which it may kill."""
    folder = tmp_path_factory.mktemp("scheduler")
    file = folder / "scheduler.json"
    settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    process = _dask(["scheduler", "--port", "0", "--scheduler-file", str(file), *_LOCAL], folder, settings)
    with _ended([process]):
        eventually(lambda: file.exists() and file.read_text().endswith("}"))
        yield Cluster(json.loads(file.read_text())["address"], process)


@contextmanager
def with_workers(scheduler: Cluster, folder: Path, count: int) -> Iterator[Cluster]:
    """The scheduler with this many workers and no others."""
    folder.mkdir()
    arguments = ["worker", scheduler.address, "--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]
    workers = [_dask([*arguments, *_LOCAL], folder, {}) for _ in range(count)]
    with DISTRIBUTED.Client(scheduler.address, set_as_default=False) as client:
        with _ended(workers):
            client.wait_for_workers(count, timeout=SECONDS)
            yield replace(scheduler, workers=workers)
        eventually(lambda: not client.scheduler_info()["workers"])


@contextmanager
def _ended(processes: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """At the end of the block, the processes are gone."""
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            try:
                process.wait(SECONDS)
            finally:
                process.kill()


def _dask(arguments: list[str], folder: Path, settings: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "dask", *arguments],
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def eventually(is_true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(name="folder")
def folder_with_robot(tmp_path: Path) -> Path:
    """The robot, its graph and operators."""
    folder = tmp_path / "pipes"
    folder.mkdir()
    copytree(PIPES / "operators", folder / "operators")
    copy(PIPES / "pipes.ttl", folder)
    copy(PIPES / "robot.py", folder)
    (folder / "watched.py").write_text(WATCHED)
    return folder


def profile_in(folder: Path, name: str = "profile", *, function: str = "inspect") -> Path:
    """A profile."""
    path = folder / f"{name}.toml"
    path.write_text(PROFILE.format(cases=CASES, function=function))
    return path


def run(path: Path, make_executor: Callable[[Job], Executor]) -> list[tuple[int, str, str, tuple[str, ...]]]:
    """The results of a campaign."""
    profile = load_profile(path)
    for _ in run_campaign(profile, make_executor):
        pass
    with read_store(profile.campaign.store) as store:
        return list(store.results())


def calls(folder: Path) -> list[int]:
    """The workers that the robot was called for, one after the other."""
    file = folder / "calls"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def job_in(folder: Path) -> Job:
    """The job for the workers."""
    profile = load_profile(profile_in(folder))
    with Mutants().prepare(profile) as prepared:
        return job_of(profile, prepared.open(None))


def robots_of(pid: int) -> list[str]:
    """The processes that a worker has started for the robot."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    started = [child for task in tasks for child in (task / "children").read_text().split()]
    return [child for child in started if b"watched.py" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_a_worker_is_killed_and_nothing_is_lost(scheduler: Cluster, tmp_path: Path, folder: Path) -> None:
    with with_workers(scheduler, tmp_path / "workers", 2) as found:
        victim = found.workers[0]

        # The first case that it gets does not end before it is killed.
        hold = folder / f"hold-{victim.pid}"
        hold.touch()

        def kill_amid_a_task() -> None:
            eventually(lambda: victim.pid in calls(folder) and len(calls(folder)) >= CASES // 4)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            hold.unlink()

        killer = threading.Thread(target=kill_amid_a_task)
        killer.start()
        losses: list[str] = []
        results = run(profile_in(folder), lambda job: DaskWorkers(job, found.address, losses.append))
        killer.join()
        [loss] = losses
        assert loss.endswith("has gone: its cases run again; 1 worker left")
        assert victim.returncode == -signal.SIGKILL
        assert set(calls(folder)) == {worker.pid for worker in found.workers}
        assert len(calls(folder)) > CASES  # what was under way began again
        assert robots_of(found.workers[1].pid) == []

    assert [number for number, *_ in results] == list(range(1, CASES + 1))
    assert {outcome for _, outcome, *_ in results} == {"pass", "fail"}
    assert results == run(profile_in(folder, "local"), lambda job: LocalWorkers(job, 2))


def test_systems_that_cannot_start_on_the_cluster(scheduler: Cluster, tmp_path: Path, folder: Path) -> None:
    with with_workers(scheduler, tmp_path / "workers", 1) as found, pytest.raises(InputError) as there:
        run(profile_in(folder, function="inspekt"), lambda job: DaskWorkers(job, found.address))
    with pytest.raises(InputError) as here:
        run(profile_in(folder, function="inspekt"), lambda job: LocalWorkers(job, 1))
    assert str(there.value) == str(here.value)
    assert "inspekt" in str(there.value)


def test_a_case_that_kills_all_workers(
    scheduler: Cluster, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        with_workers(scheduler, tmp_path / "workers", 2) as found,
        closing(DaskWorkers(job_in(folder), found.address)) as executor,
    ):
        assert executor.capacity == 4
        (folder / "kill").touch()
        executor.submit(Task(7, "case", SEED))
        [result] = executor.wait()
        assert result.ticket == 7
        assert result.verdict == Verdict(Outcome.UNDECIDED, "the worker process died 2 times on this case")

        for ticket in range(3):
            executor.submit(Task(ticket, "case", SEED))
        eventually(lambda: executor.capacity == 3)  # those that are under way: no worker is left
        monkeypatch.setattr(cluster, "_SECONDS_WITHOUT_WORKERS", 1.0)
        with pytest.raises(UnavailableError, match=r"no worker for 1 s.*dask worker"):
            executor.wait()


@pytest.mark.parametrize(("patience", "is_gone"), [(60.0, False), (0.0, True)])
def test_a_scheduler_that_is_silent_for_a_while(
    scheduler: Cluster, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, patience: float, is_gone: bool
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS_TO_ANSWER", 0.3)
    monkeypatch.setattr(cluster, "_SECONDS_OF_SILENCE", patience)
    with (
        with_workers(scheduler, tmp_path / "workers", 1) as found,
        closing(DaskWorkers(job_in(folder), found.address)) as executor,
    ):
        assert executor.capacity == 2
        executor.submit(Task(7, "case", SEED))
        found.scheduler.send_signal(signal.SIGSTOP)
        wakes = threading.Timer(2.0, found.scheduler.send_signal, [signal.SIGCONT])
        wakes.start()
        try:
            if is_gone:
                with pytest.raises(UnavailableError, match="has gone"):
                    executor.wait()
            else:
                assert [result.verdict for result in executor.wait()] == [Verdict(Outcome.PASS)]
        finally:
            wakes.join()


def test_idle_systems_are_closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_SECONDS_IDLE", 0.5)
    cluster._begin("job", __version__, pickle.dumps(job_in(folder)))
    for _ in range(2):
        result = cluster._result("job", pickle.dumps(Task(1, "case", SEED)))
        assert result.verdict == Verdict(Outcome.PASS)
        eventually(lambda: robots_of(os.getpid()) == [])
    cluster._end("job")
    with pytest.raises(DISTRIBUTED.Reschedule):
        cluster._result("job", pickle.dumps(Task(1, "case", SEED)))


def test_another_version_on_the_cluster(folder: Path) -> None:
    cluster._begin("job", "0.0", pickle.dumps(job_in(folder)))
    error = cluster._result("job", pickle.dumps(Task(1, "case", SEED))).error
    cluster._end("job")
    assert isinstance(error, UnavailableError)
    assert f"has kgprobe {__version__}, and this is 0.0" in str(error)


def test_no_scheduler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1.0)
    start = time.monotonic()
    with pytest.raises(UnavailableError, match="no Dask scheduler at tcp://127"):
        DaskWorkers(job_in(folder), "tcp://127.0.0.1:9")
    assert time.monotonic() - start < 60


def test_an_invalid_address(folder: Path) -> None:
    with pytest.raises(UnavailableError, match="no Dask scheduler at nonsense"):
        DaskWorkers(job_in(folder), "nonsense://here")


def test_without_dask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnavailableError, match=r"pip install 'kgprobe\[dask\]'"):
        DaskWorkers(job_in(folder), "tcp://127.0.0.1:9")
