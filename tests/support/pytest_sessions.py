"""Sessions of pytest in their own process, to test kgprobe's plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["pytest_session"]


def pytest_session(folder: Path, *arguments: str, code: int = 0, all_plugins: bool = False) -> str:
    """The output of a session in a folder, which must end with this exit code.

    Unless `all_plugins` asks for all that are installed, only kgprobe's plugin is loaded, and that of xdist if the
    arguments ask for workers. Loading the others takes as long as most sessions.
    """
    plugins = ["-p", "kgprobe.pytest_plugin", *(["-p", "xdist"] if "-n" in arguments else [])]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "pytest", *([] if all_plugins else plugins), "-p", "no:cacheprovider", "-v", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | ({} if all_plugins else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr
