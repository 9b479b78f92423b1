"""Systems that attack the processes that test them: the campaign ends and reports them, and no process stays."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from support.commands import kgprobe
from support.processes import are_gone, is_running, needs_linux

from kgprobe.campaign.events import Judged

from .campaigns import run, write_campaign

pytestmark = needs_linux

# Notes its process, and makes the folder that it works in known. The first run, on the seed graph, is well-behaved.
_NOTED = """
import os, signal, time

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def is_first():
    try:
        return os.close(os.open(os.environ["NOTES"] + "-seed", os.O_CREAT | os.O_EXCL)) is None
    except FileExistsError:
        return False

def note():
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(f"{os.getpid()} {os.getcwd()}\\n")
"""


def _hostile(folder: Path, deed: str, *, mutants: int = 1) -> Path:
    """A campaign whose system does something to its ancestors, in a function."""
    system = f"{_NOTED}\ndef inspect(graph):\n    if is_first(): return 1\n    note()\n    {deed}\n    time.sleep(60)\n"
    profile = write_campaign(folder, mutants=mutants, system=system)
    text = profile.read_text().replace('oracle = "mission.py:is_complete"', "")
    profile.write_text(f"{text}[campaign]\nreduce = 0\n")
    return profile


def _nothing_stays(notes: Path) -> None:
    noted = [line.split() for line in notes.read_text().splitlines()]
    assert noted
    end = time.monotonic() + 30
    while any(is_running(int(pid)) for pid, _ in noted) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid, _ in noted if is_running(int(pid))]
    assert not [folder for _, folder in noted if Path(folder).exists()]


_WORKER = "parent(parent(os.getpid()))"


@pytest.mark.parametrize(
    ("deed", "shape"),
    [
        ("os.kill(os.getppid(), signal.SIGSTOP)", "stopped its parent process"),
        ("os.kill(os.getppid(), signal.SIGKILL)", "killed its parent process"),
        (f"os.kill({_WORKER}, signal.SIGSTOP)", "its worker process stopped"),
        (f"os.kill({_WORKER}, signal.SIGKILL)", "its worker process ended (SIGKILL)"),
        (f"guard = os.getppid(); os.kill({_WORKER}, 9); os.kill(guard, 9)", "its worker process ended (SIGKILL)"),
        (f"os.kill(parent({_WORKER}), signal.SIGSTOP)", "its worker process stopped"),
    ],
    ids=["stops parent", "kills parent", "stops worker", "kills worker", "kills both", "stops the worker's guard"],
)
def test_a_system_that_signals_its_ancestors_has_crashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, shape: str
) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    profile = _hostile(tmp_path / "a", deed)
    verdicts = [event.verdict for event in run(profile, workers=1) if isinstance(event, Judged)]
    assert [failure.signature for verdict in verdicts for failure in verdict.failures] == [f"robot: crashed: {shape}"]
    _nothing_stays(tmp_path / "notes")
    assert not list(tmp_path.glob("kgprobe-*"))


def test_an_oracle_that_ends_the_worker_leaves_the_case_undecided(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", mutants=1, system="def inspect(graph):\n    return 1\n")
    (tmp_path / "a" / "mission.py").write_text("import os\ndef is_complete(case, seen):\n    os._exit(7)\n")
    (verdict,) = [event.verdict for event in run(profile, workers=1) if isinstance(event, Judged)]
    assert verdict.why == "the worker process ended (exit code 7) 2 times on this case, while no system was running"


def test_a_program_that_kills_its_parent_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    profile = write_campaign(tmp_path / "a", mutants=2)
    text = profile.read_text().partition("[python]")[0]
    deed = "if is_first(): raise SystemExit\nnote(); os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"
    (tmp_path / "a" / "program.py").write_text(f"{_NOTED}\n{deed}\n")
    system = '[[systems]]\nname = "robot"\ncommand = ["{python}", "program.py", "{folder}", "{graph}"]\n'
    profile.write_text(f"{text}{system}[campaign]\nreduce = 0\n")
    ended = kgprobe("test", profile)
    assert ended.returncode == 1, ended
    assert "robot: crashed: killed its parent process" in ended.stdout
    noted = [int(line.split()[0]) for line in (tmp_path / "notes").read_text().splitlines()]
    assert len(noted) == 2
    assert are_gone(*noted)
