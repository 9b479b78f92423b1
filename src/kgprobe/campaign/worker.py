"""A worker process: receives a job and tasks from its parent, and sends results until the parent ends."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import threading
import time
from types import FrameType

import kgprobe.graph.rows  # noqa: F401 - tables need numpy, and the first task must not wait until it is loaded
from kgprobe.campaign.executor import Job, Running, Task
from kgprobe.campaign.trial import Trial
from kgprobe.errors import KgprobeError
from kgprobe.processes.channel import Channel

_SECONDS_BETWEEN_LOOKS = 1.0


def main(descriptor: int) -> None:
    """Serve one parent."""
    channel = Channel(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    try:
        job: Job = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        announced = False

        def announce(system: str) -> None:
            if announced:
                channel.send(pickle.dumps(Running(system)))

        try:
            trial = Trial(job, on_run=announce).__enter__()
        except KgprobeError as error:
            channel.send(pickle.dumps(error))
            return
        with trial:
            channel.send(pickle.dumps(None))
            while True:
                task: Task = pickle.loads(channel.receive())  # noqa: S301
                announced = task.announce
                channel.send(pickle.dumps(trial.result(task)))
    except (EOFError, OSError):
        return
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # while Python shuts down, an exception would be printed


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _watch_parent(parent: int) -> None:
    """A killed parent does not end its workers, and a long run must not outlive it by much."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(int(sys.argv[1]))
