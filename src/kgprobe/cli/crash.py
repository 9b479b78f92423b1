"""What a user sees when kgprobe itself is wrong: two short lines, and a file that can be sent to us."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback

from kgprobe import __version__
from kgprobe.errors import one_line

__all__ = ["report"]


def report(error: BaseException) -> str:
    """Write the whole story to a temporary file, and return the short one, which names that file."""
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
    except OSError:  # a full disk is no reason to say nothing
        return f"{summary}This is a bug in kgprobe, not in your input. KGPROBE_DEBUG=1 shows the traceback."
    return (
        f"{summary}This is a bug in kgprobe, not in your input. Please open an issue and attach {file.name}"
        " (CONTRIBUTING.md says how; KGPROBE_DEBUG=1 shows the traceback)."
    )
