"""The state of processes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes do")


def state_of(pid: int) -> str:
    """The state of a process as a Linux letter: T if it is stopped, X if it does not exist."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "X"


def is_running(pid: int) -> bool:
    """Whether a process is running; a zombie is not."""
    return state_of(pid) not in "ZX"


def are_gone(*pids: int) -> bool:
    """Whether these processes end within 30 seconds, before a sleeping process would end by itself."""
    end = time.perf_counter() + 30
    while any(map(is_running, pids)) and time.perf_counter() < end:
        time.sleep(0.02)
    return not any(map(is_running, pids))


def numbers_in(file: Path, *, at_least: int) -> list[int]:
    """The numbers that programs wrote into a file."""
    numbers = [int(line) for line in file.read_text(encoding="ascii").split()]
    assert len(numbers) >= at_least, numbers
    return numbers
