"""The memory of everything that a process starts counts, however it is hidden, and nothing of it survives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.processes import are_gone, needs_linux

from kgprobe.model import Case, Observation, Status
from kgprobe.processes import tree
from kgprobe.processes.child import run
from kgprobe.processes.limits import Limits, Passed
from kgprobe.rdf.graph import Graph
from kgprobe.systems.command import CommandSystem
from kgprobe.systems.function import FunctionSystem

pytestmark = needs_linux
LIMITS = Limits(20, 150)
TAKE = "taken = bytearray(400 << 20)\nfor place in range(0, len(taken), 4096): taken[place] = 1\n"
# It leaves its session and its parent, and says when it has the memory, if anybody listens.
DAEMON = """
import os, sys, time
def daemon(note, take, session=True):
    reading, writing = os.pipe()
    if os.fork() == 0:
        if session:
            os.setsid()
        if os.fork() == 0:
            with open(note, "w") as stream:
                stream.write(str(os.getpid()))
            if take:
                taken = bytearray(400 << 20)
                for place in range(0, len(taken), 4096):
                    taken[place] = 1
            os.write(writing, b"!")
            time.sleep(600)
        os._exit(0)
    os.wait()
    os.read(reading, 1)
"""


def _ran(code: str, *arguments: str) -> Passed | None:
    return run([sys.executable, "-c", code, *arguments], LIMITS).passed


def test_memory_counts_that_is_taken_between_two_looks_and_given_back() -> None:
    assert _ran(TAKE) is Passed.MEMORY
    assert _ran("import mmap; taken = mmap.mmap(-1, 400 << 20)") is None  # it was never touched


@pytest.mark.parametrize("session", [True, False])
def test_a_daemon_of_a_program_that_has_ended_counts_and_ends(tmp_path: Path, session: bool) -> None:
    note = tmp_path / "pid"
    assert _ran(f"{DAEMON}\ndaemon({str(note)!r}, True, {session})\nos._exit(0)") is Passed.MEMORY
    assert are_gone(int(note.read_text()))
    assert _ran(f"{DAEMON}\ndaemon({str(note)!r}, False, {session})") is None
    assert are_gone(int(note.read_text()))


def test_a_kernel_that_does_not_list_children(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tree, "_kernel_lists_children", lambda: False)
    note = tmp_path / "pid"
    assert _ran(f"{DAEMON}\ndaemon({str(note)!r}, True)\ntime.sleep(60)") is Passed.MEMORY
    assert are_gone(int(note.read_text()))


def _function(folder: Path, body: str) -> FunctionSystem:
    (folder / "own.py").write_text(f"{DAEMON}\nkept = []\ndef call(graph):\n    {body}\n    return 'ok'\n")
    return FunctionSystem("own", "own.py:call", folder=folder, limits=LIMITS)


def _called(system: FunctionSystem) -> Observation:
    return system.run(Case.of_graph("1", Graph()))


@pytest.mark.parametrize("session", [True, False])
def test_a_daemon_of_a_function_counts_in_its_own_call_and_in_no_other(tmp_path: Path, session: bool) -> None:
    note = tmp_path / "pid"
    greedy = _function(tmp_path, f"daemon({str(note)!r}, True, {session})")
    try:
        assert _called(greedy).status is Status.OUT_OF_MEMORY
        assert are_gone(int(note.read_text()))
    finally:
        greedy.close()
    modest = _function(tmp_path, f"daemon({str(note)!r}, False, {session})")
    try:
        assert _called(modest).status is Status.FINISHED
        assert are_gone(int(note.read_text()))
        assert _called(modest).status is Status.FINISHED
    finally:
        modest.close()


def test_a_function_keeps_the_helpers_that_it_started_before_its_first_call(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "import subprocess\nhelper = subprocess.Popen(['cat'], stdin=-1, stdout=-1, start_new_session=True)\n"
        "def call(graph):\n    helper.stdin.write(b'x\\n')\n    helper.stdin.flush()\n"
        "    return helper.stdout.readline().decode()\n"
    )
    system = FunctionSystem("own", "own.py:call", folder=tmp_path, limits=LIMITS)
    try:
        assert [_called(system).value for _ in range(2)] == ["x\n", "x\n"]
    finally:
        system.close()


def test_a_command_system_reports_the_memory_of_its_daemon(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"{DAEMON}\ndaemon({str(note)!r}, True)"
    with_daemon = CommandSystem("own", [sys.executable, "-c", code, "{graph}"], limits=LIMITS)
    try:
        assert with_daemon.run(Case.of_graph("1", Graph())).status is Status.OUT_OF_MEMORY
    finally:
        with_daemon.close()
    assert are_gone(int(note.read_text()))
