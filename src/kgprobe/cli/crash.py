"""The report of a bug in kgprobe: two short lines, and a file to attach to an issue."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback

from kgprobe.errors import one_line
from kgprobe.version import __version__

__all__ = ["report"]


def report(error: BaseException) -> str:
    """Write the details to a temporary file, and return a summary that names it."""
    story = "\n".join(
        [
            f"kgprobe {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"command: {sys.argv!r}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    summary = f"kgprobe: internal error: {type(error).__name__}: {one_line(str(error))}\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="kgprobe-bug-", suffix=".txt", delete=False
        ) as file:
            file.write(story)
    except OSError:  # report the error even if the disk is full
        return f"{summary}This is a bug in kgprobe, not in your input. KGPROBE_DEBUG=1 shows the traceback."
    return (
        f"{summary}This is a bug in kgprobe, not in your input. Please open an issue and attach {file.name}"
        " (see CONTRIBUTING.md; KGPROBE_DEBUG=1 shows the traceback)."
    )
