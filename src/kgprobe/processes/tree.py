"""The memory of a process and all its descendants, and how to end them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

TYPE_CHECKING = False  # each guard imports this module: `typing` and `pathlib` would double what that costs
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "adopt_orphans",
    "all_pids",
    "descendants",
    "end_descendants",
    "end_group",
    "end_marked",
    "pages_mb",
    "parent_of",
    "peak_mb",
    "resident_mb",
]

_SET_CHILD_SUBREAPER = 36  # of prctl, since Linux 3.4
_SECONDS_BETWEEN_SWEEPS = 0.001
_MOST_SWEEPS = 50  # a process that starts others faster than they can be ended must not keep us


def adopt_orphans() -> bool:
    """From now on, this process becomes the parent of every descendant whose own parent ends; False if it cannot.

    Without this, such a process would get an unrelated parent. It works on Linux only.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # slow to import, and parents need not have it

    try:
        return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def all_pids() -> Iterator[int]:
    """All processes that the system shows."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - there are many, and this is faster
    except OSError:
        return
    for name in names:
        if name.isdigit():
            yield int(name)


def descendants(pid: int) -> list[int]:
    """The descendants of a process, parents before their children. Empty elsewhere than on Linux."""
    found: dict[int, None] = {}
    pending = [pid]
    children_of = _children if _kernel_lists_children() else _children_by_parent().get
    while pending:
        for child in children_of(pending.pop()) or ():
            if child not in found:
                found[child] = None
                pending.append(child)
    return list(found)


def end_descendants(pid: int, *, seconds: float) -> bool:
    """End the descendants of a process, including those that they start in the meantime.

    False if some are left after this time: they belong to another user, or start others faster than we end them.
    """
    end = time.perf_counter() + seconds
    while left := [descendant for descendant in descendants(pid) if _is_alive(descendant)]:
        if time.perf_counter() > end:
            return False
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_SECONDS_BETWEEN_SWEEPS)
    return True


def end_marked(entry: str) -> None:
    """End all processes with this entry, as `NAME=value`, in the environment that they were started with."""
    for _ in range(_MOST_SWEEPS):
        marked = [pid for pid in all_pids() if pid != os.getpid() and _carries(pid, entry.encode())]
        if not marked:
            return
        for pid in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def resident_mb(pid: int, *, itself: bool = True) -> float:
    """The memory of a process (with `itself`) and its descendants; 0 elsewhere than on Linux.

    The limits of the system itself are no substitute: they count memory that is reserved and never touched, such as
    the stack of one gigabyte that rustdl gives a thread.
    """
    return pages_mb(sum(map(_resident_pages, [pid, *descendants(pid)] if itself else descendants(pid))))


def peak_mb(pid: int) -> float:
    """The most memory that a process has ever had; 0 elsewhere than on Linux."""
    try:
        status = _read(f"/proc/{pid}/status")
    except OSError:
        return 0.0
    _, _, rest = status.partition(b"VmHWM:")
    return int(rest.split()[0]) / 1024 if rest else 0.0


def parent_of(pid: int) -> int:
    """The parent of a process; 0 if it has ended."""
    try:
        return int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def pages_mb(pages: int) -> float:
    """Pages of memory in megabytes."""
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 if pages else 0.0


def end_group(pid: int) -> None:
    """End a process that leads a group, and the rest of the group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _kernel_lists_children() -> bool:
    """Whether the kernel was built with these lists."""
    pid = os.getpid()
    return os.access(f"/proc/{pid}/task/{pid}/children", os.R_OK)


def _children_by_parent() -> dict[int, list[int]]:
    """All processes by their parents, for kernels without the lists. This takes longer."""
    found: dict[int, list[int]] = {}
    for pid in all_pids():
        found.setdefault(parent_of(pid), []).append(pid)
    return found


def _children(pid: int) -> list[int]:
    """The processes that any thread of a process has started and that still exist."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - this is called often, and is faster
    except OSError:
        return found
    for thread in threads:
        with contextlib.suppress(OSError, ValueError):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def _carries(pid: int, entry: bytes) -> bool:
    try:
        return entry in _read(f"/proc/{pid}/environ").split(b"\0")
    except OSError:  # it has ended, or belongs to another user
        return False


def _resident_pages(pid: int) -> int:
    try:
        return int(_read(f"/proc/{pid}/statm").split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def _is_alive(pid: int) -> bool:
    """Whether a process still runs. A zombie, whose parent has not noticed its end, does not."""
    try:
        stat = _read(f"/proc/{pid}/stat")
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[:1] not in ([b"Z"], [b"X"])


def _read(file: str) -> bytes:
    with open(file, "rb") as stream:  # noqa: PTH123 - see above
        return stream.read()
