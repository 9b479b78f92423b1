"""What happens when a command is asked to end: by Ctrl-C, by `kill`, or because its terminal was closed.

The first signal becomes an exception, so that whatever is open is closed and whatever is temporary is removed. More
signals change nothing: they would interrupt that. An engine may turn the exception into an error of its own, as DuckDB
does, so every error after a signal counts as the interruption. An engine may also not let Python see the signal, so a
thread sees it, too: it waits a while, removes the temporary folders, and ends the process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from kgprobe.processes.limits import remove_folders

__all__ = ["RESUME", "Interrupted", "end_in_order", "interruption", "interruption_behind", "resumable"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SECONDS_TO_END = 20.0
_RESUMED_BY = "kgprobe.resumed_by"
RESUME = "run the same command to resume"
_NOT_IN_TIME = b"kgprobe: error: interrupted\n"
_received: list[int] = []  # not the exception, whose traceback would keep databases open


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def end_in_order() -> None:
    """From now on, let signals end this process in order. A signal that it was told to ignore is still ignored."""
    read, write = os.pipe()
    for descriptor in (read, write):
        os.set_blocking(descriptor, descriptor == read)
    handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def handle(number: int, _frame: FrameType | None) -> None:
        if not _received:
            _received.append(number)
            raise Interrupted(number)

    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_end_if_stuck, args=(read, handled), name="kgprobe-signals", daemon=True).start()
    for number in handled:
        signal.signal(number, handle)


def _end_if_stuck(signals: int, handled: list[signal.Signals]) -> None:
    while (number := os.read(signals, 1)[0]) not in handled:
        pass
    threading.Event().wait(_SECONDS_TO_END)
    remove_folders()
    os.write(2, _NOT_IN_TIME)
    os._exit(128 + number)


def interruption_behind(error: BaseException) -> KeyboardInterrupt | None:
    """The interruption that an error is, or that it came from; None if nobody has interrupted this process."""
    if isinstance(error, KeyboardInterrupt):
        return error
    is_ours = isinstance(error, click.exceptions.Exit | SystemExit)
    return None if is_ours or not _received else Interrupted(_received[0])


@contextmanager
def resumable(kept: Path | None, how: str = RESUME, *, result: Path | None = None) -> Iterator[None]:
    """Within this block, the command keeps what it has done in a file. An interruption tells the user how to go on.

    `result` is a file that the command does not replace: once it is there, the same command would only refuse.
    """
    try:
        yield
    except BaseException as error:
        context = click.get_current_context(silent=True)
        is_kept = kept is not None and kept.is_file() and (result is None or not result.exists())
        if interruption_behind(error) and context is not None and is_kept:
            context.meta[_RESUMED_BY] = how
        raise


def interruption() -> str:
    """What to tell the user of the current command about its interruption."""
    context = click.get_current_context(silent=True)
    how = None if context is None else context.meta.get(_RESUMED_BY)
    return "interrupted" if how is None else f"interrupted; {how}"
