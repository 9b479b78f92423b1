"""Tests of any other kind: the user's command prints the terms that a file uses, or its query."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, one_line
from kgprobe.processes.child import Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.search import BLIND, Search
from kgprobe.selection.tests import Language, TermUse, Test
from kgprobe.sparql.reading import looks_like_query

__all__ = ["check_command", "command_tests"]

COMMAND = Language("command")

_PLACE = "{test}"
_MOST_OUTPUT = 1 << 20
_MOST_COMPLAINT = 2000


@dataclass(frozen=True, slots=True)
class _Ended:
    """The output of a command, or why it cannot be used."""

    output: str = ""
    problem: str | None = None


def check_command(arguments: Sequence[str]) -> None:
    """InputError if this cannot be a command that prints the terms of a file."""
    if not arguments or not arguments[0]:
        raise InputError("the command for terms names no program")
    if not any(_PLACE in argument for argument in arguments):
        hint = f"for example: my-tool --terms {_PLACE}"
        raise InputError(f"the command for terms has no place for the file: {list(arguments)}", hint=hint)
    if _PLACE not in arguments[0] and shutil.which(arguments[0]) is None:
        raise InputError(f"the program {arguments[0]} of the command for terms does not exist")


def command_tests(found: Sequence[TestFile], search: Search) -> Iterator[Test]:
    """The tests of files, with the uses that the command prints. It runs for several files at a time."""
    options = search.options

    def ask(each: TestFile) -> _Ended:
        # A name with a leading dash would look like an option.
        name = f"./{each.name}" if each.name.startswith("-") else each.name
        arguments = [argument.replace(_PLACE, name) for argument in options.terms_command]
        return _run(arguments, search.root, options.command_seconds, guards)

    with closing(Guards()) as guards, ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        for each, ended in zip(found, pool.map(ask, found), strict=True):
            yield _test(each, ended, search)


def _test(found: TestFile, ended: _Ended, search: Search) -> Test:
    if ended.problem is not None:
        return _blind(found, ended.problem, search)
    expected = search.neighbours.expected(found)
    if looks_like_query(ended.output):
        reading = search.queries.read(ended.output)
        return Test(
            found.name,
            COMMAND,
            uses=reading.uses,
            unseen=reading.unseen,
            file=found.file,
            patterns=reading.patterns,
            expected=expected,
        )
    uses, unseen = _terms(ended.output, found.name, search)
    return Test(found.name, COMMAND, uses=uses, unseen=unseen, file=found.file, expected=expected)


def _blind(found: TestFile, reason: str, search: Search) -> Test:
    expected = search.neighbours.expected(found)
    return Test(found.name, COMMAND, unseen=(f"{BLIND}: {reason}",), file=found.file, expected=expected)


def _terms(output: str, name: str, search: Search) -> tuple[tuple[TermUse, ...], tuple[str, ...]]:
    uses: dict[TermUse, None] = {}
    unseen: dict[str, None] = {}
    for line in output.splitlines():
        if line.strip():
            found, unclear = search.named(line, name)
            uses.update(dict.fromkeys(found))
            unseen.update(dict.fromkeys(unclear))
    if not uses and not unseen:
        unseen[f"{BLIND}: the command printed no term"] = None
    return tuple(uses), tuple(unseen)


def _run(arguments: Sequence[str], folder: Path, seconds: float, guards: Guards) -> _Ended:
    try:
        ended = run(
            arguments,
            Limits(seconds, 0),
            Setup(folder=folder, most_output=_MOST_OUTPUT),
            all_or_nothing=True,
            guards=guards,
        )
    except OSError as error:
        return _Ended(problem=f"the command cannot be run: {error.strerror or error}")
    if ended.passed is not None:
        return _Ended(problem=f"the command took longer than {seconds:g} s")
    output = ended.stdout.whole
    if output is None:
        return _Ended(problem=f"the command printed more than {_MOST_OUTPUT >> 20} MB")
    if ended.code:
        said = one_line(ended.stderr.text()[-_MOST_COMPLAINT:])
        return _Ended(problem=f"the command ended with {ended.code}" + (f": {said}" if said else ""))
    try:
        return _Ended(output.decode())
    except UnicodeDecodeError:
        return _Ended(problem="the output of the command is not UTF-8 text")
