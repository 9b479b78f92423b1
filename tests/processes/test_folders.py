"""Temporary folders are removed, whenever a signal ends the process."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import needs_linux

PROGRAM = """import os, signal, sys, threading
from pathlib import Path
from kgprobe.processes.limits import TemporaryFolder, removed

def end(number, frame):
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, end)
inside, moment = Path(sys.argv[1]), float(sys.argv[2])
folder = TemporaryFolder(inside) if moment >= 0.01 else None
if folder is not None:
    for number in range(20_000):
        Path(folder.name, str(number)).touch()
try:
    threading.Timer(moment, os.kill, [os.getpid(), signal.SIGTERM]).start()
    if folder is not None:
        removed(folder)
    while True:
        removed(TemporaryFolder(inside))
except KeyboardInterrupt:
    sys.exit(9)
"""


@needs_linux
@pytest.mark.parametrize("moment", [0.001, 0.003, 0.01, 0.05, 0.1])
def test_a_signal_while_a_folder_is_made_or_removed(moment: float, tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM, str(tmp_path), str(moment)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (9, "")
    assert not list(tmp_path.iterdir())
