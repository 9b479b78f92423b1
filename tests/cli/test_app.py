"""The frame of the command line: versions, help, mistakes and bugs."""

from __future__ import annotations

import subprocess
import sys

from kgprobe import __version__


def kgprobe(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command, our own arguments
        [sys.executable, "-m", "kgprobe", *arguments], capture_output=True, text=True, check=False
    )


def test_version() -> None:
    done = kgprobe("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"kgprobe {__version__}\n", "")


def test_a_mistyped_command_is_guessed() -> None:
    done = kgprobe("dmo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "kgprobe: error: no command named 'dmo' (did you mean 'demo'?)\n"
