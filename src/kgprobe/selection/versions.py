"""Versions of a file that git keeps."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position, UnavailableError

__all__ = ["Version", "changed_files", "history", "version_file"]

_SECONDS = 60
_REVISION = "a revision is a commit, a tag or a branch, such as HEAD~1 or v1.2"


@dataclass(frozen=True, slots=True)
class Version:
    """A commit that changed a file: its short name, its date, and the first line of what it says."""

    revision: str
    date: str
    subject: str


@contextmanager
def version_file(path: Path, revision: str) -> Iterator[Path]:
    """The file as it was at a revision, under its own name in a folder that is there as long as it is needed."""
    if not revision:
        raise InputError("--since names no revision", where=Position(str(path)), hint=_REVISION)
    text = _git(path, "show", "--end-of-options", f"{revision}:./{path.name}")
    with tempfile.TemporaryDirectory(prefix="kgprobe-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(text)
        yield copy


def changed_files(folder: Path, revision: str) -> list[tuple[Path, bool]]:
    """The files below a folder that differ from what they were at a revision, and whether they existed then."""
    if not revision:
        raise InputError("--since names no revision", where=Position(str(folder)), hint=_REVISION)
    arguments = ("--name-status", "--no-renames", "--relative", "-z", "--end-of-options", revision, "--", ".")
    fields = _git(folder, "diff", *arguments).decode("utf-8", "replace").split("\0")
    return [(folder / name, status != "A") for status, name in zip(fields[::2], fields[1::2], strict=False)]


def history(path: Path, revisions: str) -> list[Version]:
    """The commits that changed a file, oldest first: the last so many if `revisions` is a number, else a range.

    The first version is the one that the oldest of these commits started from, if there is one.
    """
    limit = [f"--max-count={int(revisions) + 1}"] if revisions.isdecimal() else []
    range_ = [] if revisions.isdecimal() else [revisions]
    log = _git(path, "log", *limit, "--format=%h%x09%cs%x09%s", "--end-of-options", *range_, "--", f"./{path.name}")
    versions = [Version(*line.split("\t", 2)) for line in log.decode("utf-8", "replace").splitlines()]
    versions.reverse()
    if range_ and versions:
        first = _git(
            path,
            "log",
            "--max-count=1",
            "--format=%h%x09%cs%x09%s",
            f"{versions[0].revision}~",
            "--",
            f"./{path.name}",
            check=False,
        )
        versions[:0] = [Version(*line.split("\t", 2)) for line in first.decode("utf-8", "replace").splitlines()]
    return versions


def _git(path: Path, *arguments: str, check: bool = True) -> bytes:
    """What git prints about a file or a folder. Its place need not be the present one; a file may be gone by now."""
    command = ["git", "-C", str(path if path.is_dir() else path.parent), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - a list of arguments, and revisions cannot be taken for options
            command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise UnavailableError("versions need git, which is not installed", hint="give both files instead") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"git took more than {_SECONDS} seconds", where=Position(str(path))) from None
    if done.returncode and check:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git gave no reason"]
        message = said[0].removeprefix("fatal: ")
        raise InputError(f"git has no such version: {message}", where=Position(str(path)), hint=_hint(message))
    return b"" if done.returncode else done.stdout


def _hint(message: str) -> str | None:
    if "not a git repository" in message:
        return "give both files instead: kgprobe select OLD NEW"
    if "unknown revision" in message or "invalid object name" in message or "bad revision" in message:
        return _REVISION
    return None
