"""Reports that commands write to files, such as those in JUnit's format."""

from __future__ import annotations

from pathlib import Path

from kgprobe.config.writing import check_writable
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import replace_file

__all__ = ["check_report", "write_report"]

_START_OF_A_REPORT = 100  # bytes


def check_report(path: Path) -> None:
    """Raise InputError if a report cannot be written here, or would replace a file that is not a report."""
    check_writable(path)
    if not path.is_file():
        return
    with path.open("rb") as stream:
        start = stream.read(_START_OF_A_REPORT).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start and not start.startswith((b"<?xml", b"<testsuite")):
        raise InputError("is not a report; it was not replaced", where=Position(str(path)), hint="name another file")


def write_report(path: Path, text: str) -> None:
    """Write a report completely, or not at all."""
    try:
        replace_file(path, text.encode())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {error}", where=Position(str(path))) from None
