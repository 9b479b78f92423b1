"""The life of a worker process: it serves one parent over a channel, and ends with it."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kgprobe.processes.channel import Channel
from kgprobe.processes.limits import OUT_OF_MEMORY_EXIT

__all__ = ["serving_parent"]

_SECONDS_BETWEEN_LOOKS = 1.0


@contextmanager
def serving_parent(descriptor: int) -> Iterator[Channel]:
    """The channel to the parent. The block ends, without an error, when the parent closes it or has been killed.

    A process that runs out of memory ends, and its parent learns why.
    """
    channel = Channel(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    try:
        yield channel
    except (EOFError, ConnectionError):
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # while Python shuts down, an exception would be printed


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _watch_parent(parent: int) -> None:
    """A killed parent does not end its workers, and a long run must not outlive it by much."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)
