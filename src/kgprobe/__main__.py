"""The entry point of the `kgprobe` script; `python -m kgprobe` is the same.

Nothing is open while the command line is imported. A signal ends the process at once then, without a traceback.
"""

from __future__ import annotations

import os
import signal
from importlib import import_module
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _end(number: int, _frame: FrameType | None) -> None:
    os.write(2, b"kgprobe: error: interrupted\n")
    os._exit(128 + number)


def main() -> NoReturn:
    """Handle signals, import the command line, which then handles them itself, and run it."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    import_module("kgprobe.cli").main()
    raise AssertionError


if __name__ == "__main__":
    main()
