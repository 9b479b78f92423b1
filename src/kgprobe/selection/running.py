"""Runs selected tests one after the other with the user's command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.processes.child import Output, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits

__all__ = ["Ran", "command_for", "run_tests", "saving"]

_MOST_OUTPUT = 4000


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a test: its exit code, None if it took too long, and the end of its output."""

    test: str
    code: int | None
    seconds: float
    output: str

    @property
    def passed(self) -> bool:
        return self.code == 0


@dataclass(frozen=True, slots=True)
class Saving:
    """The seconds for selection, for the selected tests, and for all tests.

    The last is an estimate: it assumes the average time of the selected tests for each test that was not run.
    """

    selecting: float
    running: float
    everything: float

    @property
    def share(self) -> float:
        """The saved share of the time for all tests; negative if selection cost more than it saved."""
        return 1 - (self.selecting + self.running) / self.everything if self.everything else 0.0


def command_for(template: str, option: str = "--run", place: str = "test") -> Callable[[str], list[str]]:
    """A function from a name to the arguments of a command that has a `{place}` for it.

    Names never pass through a shell. One with a leading dash would look like an option.
    """
    try:
        parts = shlex.split(template)
    except ValueError as error:
        raise InputError(f"{option}: {template!r} is not a command: {error}") from None
    hole = f"{{{place}}}"
    if not any(hole in part for part in parts):
        hint = f"for example '{'pytest' if place == 'test' else './load'} {hole}'"
        raise InputError(f"{option}: {template!r} does not say where the {place} goes", hint=hint)
    return lambda name: [part.replace(hole, f"./{name}" if name.startswith("-") else name) for part in parts]


def run_tests(
    tests: Iterable[str],
    command: Callable[[str], Sequence[str]],
    *,
    limit: float,
    on_done: Callable[[Ran], None],
    environment: Callable[[str], Mapping[str, str]] | None = None,
) -> list[Ran]:
    """Run each test for at most `limit` seconds, and call `on_done` after each.

    `environment` gives the variables that are added to the environment of a test.
    """
    done = []
    guards = Guards()
    try:
        for test in tests:
            ran = _run(test, command(test), limit, environment(test) if environment else {}, guards)
            on_done(ran)
            done.append(ran)
    finally:
        guards.close()
    return done


def saving(done: Sequence[Ran], total: int, selecting: float) -> Saving:
    """The time that selection saved; `total` is the number of all tests."""
    running = sum(ran.seconds for ran in done)
    everything = running / len(done) * total if done else 0.0
    return Saving(selecting, running, everything)


def _run(test: str, arguments: Sequence[str], limit: float, environment: Mapping[str, str], guards: Guards) -> Ran:
    try:
        ended = run(
            arguments,
            Limits(limit, 0),
            Setup(folder=Path.cwd(), environment=environment, output=Output.MERGED),
            guards=guards,
        )
    except OSError as error:
        hint = "give the command as you would type it, with {test} where the test goes"
        reason = error.strerror or error
        raise InputError(f"--run: {arguments[0]!r} cannot be started: {reason}", hint=hint) from None
    code = ended.code if ended.passed is None else None
    return Ran(test, code, ended.seconds, ended.stdout.text()[-_MOST_OUTPUT:])
