"""What the end of a process says about a run."""

from __future__ import annotations

from kgprobe.model import Crash, Status
from kgprobe.processes.limits import OUT_OF_MEMORY_WORDS, Limits, Passed, ending
from kgprobe.systems.tracebacks import crash_in

__all__ = ["judged", "limit_passed", "lost_guard"]

_LAST_WORDS = 2_000


def limit_passed(passed: Passed, limits: Limits) -> tuple[Status, str]:
    """The status of a run that was ended at a limit, and a remark."""
    if passed is Passed.TIME:
        return Status.TIMED_OUT, f"time limit of {limits.seconds:g} s passed"
    return Status.OUT_OF_MEMORY, f"memory limit of {limits.memory_mb} MB passed"


def judged(code: int, stderr: str, lost: str = "") -> tuple[Status, Crash | None]:
    """How a process ended that no limit did end: a code of its own choice is no crash unless an exception led to it.

    `lost` is what it has done to its guard.
    """
    if lost:
        return Status.CRASHED, lost_guard(lost)
    if code == 0:
        return Status.FINISHED, None
    crash = crash_in(stderr)
    words = stderr[-_LAST_WORDS:]
    if any(sign in words for sign in OUT_OF_MEMORY_WORDS):
        return Status.OUT_OF_MEMORY, crash
    if code < 0:
        last = words.strip().splitlines()[-1:]
        message = crash.message if crash else "".join(last)
        return Status.CRASHED, Crash(
            ending(code), message, crash.frames if crash else (), crash.place if crash else None
        )
    return (Status.CRASHED, crash) if crash else (Status.FINISHED, None)


def lost_guard(lost: str) -> Crash:
    """What to call it that a system has killed or stopped the process that watches it."""
    return Crash(f"{lost} its parent process", "its parent is a process of kgprobe that watches over it")
