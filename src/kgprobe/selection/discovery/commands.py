"""Tests of any other kind: a command of the user's prints the terms that a file uses, or the query that it asks."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, one_line
from kgprobe.processes.tree import end_group
from kgprobe.queries.reading import looks_like_query
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import TermUse, Test

__all__ = ["check_command", "command_tests"]

_PLACE = "{test}"
_MOST_OUTPUT = 1 << 20
_MOST_COMPLAINT = 2000
_BLIND = "cannot see what this test uses"


@dataclass(frozen=True, slots=True)
class _Ended:
    """What a command printed, or why that is of no use."""

    output: str = ""
    problem: str | None = None


def check_command(arguments: Sequence[str]) -> None:
    """InputError if this is no command that could tell what a file uses."""
    if not arguments or not arguments[0]:
        raise InputError("the command for terms names no program")
    if not any(_PLACE in argument for argument in arguments):
        hint = f"for example: my-tool --terms {_PLACE}"
        raise InputError(f"the command for terms does not say where the file goes: {list(arguments)}", hint=hint)
    if _PLACE not in arguments[0] and shutil.which(arguments[0]) is None:
        raise InputError(f"the program {arguments[0]} of the command for terms is not there")


def command_tests(found: Sequence[TestFile], search: Search) -> Iterator[Test]:
    """The tests that files are, and what the command says of them. It runs for several files at a time."""
    options = search.options
    if not options.terms_command:
        for each in found:
            yield _blind(each, "no command tells what it uses", search)
        return

    def ask(each: TestFile) -> _Ended:
        # What looks like an option to the program would be taken for one.
        name = f"./{each.name}" if each.name.startswith("-") else each.name
        arguments = [argument.replace(_PLACE, name) for argument in options.terms_command]
        return _run(arguments, search.root, options.command_seconds)

    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
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
            "command",
            uses=reading.uses,
            unseen=reading.unseen,
            file=found.file,
            patterns=reading.patterns,
            expected=expected,
        )
    uses, unseen = _terms(ended.output, found.name, search)
    return Test(found.name, "command", uses=uses, unseen=unseen, file=found.file, expected=expected)


def _blind(found: TestFile, reason: str, search: Search) -> Test:
    expected = search.neighbours.expected(found)
    return Test(found.name, "command", unseen=(f"{_BLIND}: {reason}",), file=found.file, expected=expected)


def _terms(output: str, name: str, search: Search) -> tuple[tuple[TermUse, ...], tuple[str, ...]]:
    uses: dict[TermUse, None] = {}
    unseen: dict[str, None] = {}
    for line in output.splitlines():
        if line.strip():
            found, unclear = search.named(line, name)
            uses.update(dict.fromkeys(found))
            unseen.update(dict.fromkeys(unclear))
    if not uses and not unseen:
        unseen[f"{_BLIND}: the command printed no term"] = None
    return tuple(uses), tuple(unseen)


def _run(arguments: Sequence[str], folder: Path, seconds: float) -> _Ended:
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            list(arguments),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return _Ended(problem=f"the command cannot be run: {getattr(error, 'strerror', None) or error}")
    try:
        output, complaint, is_late = _watch(process, seconds)
    finally:
        end_group(process.pid)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if is_late:
        return _Ended(problem=f"the command took longer than {seconds:g} s")
    if len(output) > _MOST_OUTPUT:
        return _Ended(problem=f"the command printed more than {_MOST_OUTPUT >> 20} MB")
    if process.returncode:
        said = one_line(complaint.decode(errors="replace"))
        return _Ended(problem=f"the command ended with {process.returncode}" + (f": {said}" if said else ""))
    try:
        return _Ended(output.decode())
    except UnicodeDecodeError:
        return _Ended(problem="the command printed what is no UTF-8 text")


def _watch(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes, bool]:
    """What a process writes until it ends, to its output and to its error channel; True if it takes too long."""
    end = time.monotonic() + seconds
    output, complaint = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, kept in ((process.stdout, output), (process.stderr, complaint)):
            assert pipe is not None  # noqa: S101 - both are pipes
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, kept)
        while selector.get_map() and len(output) <= _MOST_OUTPUT:
            left = end - time.monotonic()
            if left <= 0:
                return bytes(output), bytes(complaint), True
            # A process that it left behind may keep the pipe open.
            ready = selector.select(min(left, 0.05))
            if not ready and process.poll() is not None:
                break
            for key, _ in ready:
                with suppress(BlockingIOError):
                    piece = os.read(key.fd, 1 << 16)
                    key.data.extend(piece)
                    if not piece:
                        selector.unregister(key.fileobj)
            del complaint[:-_MOST_COMPLAINT]
    while process.poll() is None and len(output) <= _MOST_OUTPUT:
        if time.monotonic() > end:
            return bytes(output), bytes(complaint), True
        time.sleep(0.001)
    return bytes(output), bytes(complaint), False
