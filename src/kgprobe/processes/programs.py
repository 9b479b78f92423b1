"""Checks that the program of a command can be run, with advice if it cannot."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgprobe.errors import UnavailableError, nearest

__all__ = ["as_list", "check_program", "refusal"]

_SHELL_SIGNS = frozenset("|&;<>$`")


def as_list(text: str) -> str:
    """The list to write in place of a command that was written as one text; with a shell if it needs one."""
    try:
        words = shlex.split(text)
    except ValueError:  # an unclosed quotation mark
        words = text.split()
    if _SHELL_SIGNS & set(text):
        words = ["sh", "-c", text]
    return json.dumps(words or ["program", "{graph}"], ensure_ascii=False)


def check_program(program: str, *, what: str, folder: Path | None, path: str | None) -> None:
    """Raise UnavailableError if a program cannot be run. It is relative to `folder`, or searched in `path`."""
    place = (folder or Path()) / program
    found = shutil.which(str(place)) if os.sep in program else shutil.which(program, path=path)
    if found is not None:
        return
    named = f"the program {program} of {what}"
    if os.sep in program and place.is_dir():
        raise UnavailableError(f"{named} is a folder", hint="name the program in it")
    if os.sep in program and place.exists():
        hint = f"run 'chmod +x {shlex.quote(str(place))}', or name the program that runs it first: {_run_by(program)}"
        raise UnavailableError(f"{named} is not executable", hint=hint)
    raise UnavailableError(f"{named} does not exist", hint=_meant(program, place, folder, path))


def _meant(program: str, place: Path, folder: Path | None, path: str | None) -> str:
    """Advice for a program that does not exist."""
    if len(words := program.split()) > 1 and not place.exists():
        return f"each argument is a separate string: write {as_list(' '.join(words))}"
    if os.sep not in program and folder is not None and place.is_file():
        meant = f"./{program}" if os.access(place, os.X_OK) else _run_by(program)
        return f"it is in the folder of the profile: write {meant}"
    is_in_path = os.sep not in program
    folders = (path or os.defpath).split(os.pathsep) if is_in_path else [str(place.parent)]
    near = nearest(place.name, _names_in(folders))
    if near is None:
        return "install it, or write its whole path"
    return f"did you mean '{near if is_in_path else program.removesuffix(place.name) + near}'?"


def _run_by(program: str) -> str:
    return json.dumps(["{python}" if program.endswith(".py") else "sh", program], ensure_ascii=False)[:-1] + ", …]"


def _names_in(folders: Sequence[str]) -> Iterator[str]:
    """The names of the files in some folders."""
    for folder in folders:
        with contextlib.suppress(OSError):
            yield from (file.name for file in Path(folder or ".").iterdir())


def refusal(program: str, folder: Path, error: OSError) -> str:
    """Why a program that exists could not be started."""
    if error.errno == errno.ENOEXEC:
        return f"{program} cannot be run: it is not a program (a script begins with a line such as #!/bin/sh)"
    if error.errno == errno.ENOENT and (folder / program).is_file():
        return f"{program} cannot be run: the interpreter in its first line does not exist"
    return f"{program} cannot be run: {error.strerror or error}"
