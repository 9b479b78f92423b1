"""A worker process: receives the setting and then mutants from its parent, and sends what became of each."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import threading
import time
from types import FrameType

from kgprobe.errors import KgprobeError
from kgprobe.processes.channel import Channel
from kgprobe.suite_score.judging import Judge

_SECONDS_BETWEEN_LOOKS = 1.0


def main(descriptor: int) -> None:
    """Serve one parent."""
    channel = Channel(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    try:
        setting, names = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        try:
            with Judge(setting) as judge:
                judge.learn(names)
                channel.send(pickle.dumps(None))
                while True:
                    delta, order = pickle.loads(channel.receive())  # noqa: S301
                    channel.send(pickle.dumps(judge.judged(delta, order)))
        except KgprobeError as error:
            channel.send(pickle.dumps(error))
    except (EOFError, OSError):
        return
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # while Python shuts down, an exception would be printed


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _watch_parent(parent: int) -> None:
    """A killed parent does not end its workers, and a long test must not outlive it by much."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(int(sys.argv[1]))
