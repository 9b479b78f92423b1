"""Checks that selection is safe by running the tests themselves, on both versions.

A command of the user loads a version. Each test then runs twice, the second time in the opposite order, so that a test
whose result depends on chance, on time or on its neighbours is told apart from one whose result the change alters. A
result is the exit code and what the test writes. Only what is the same in both runs on a version is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from kgprobe.errors import InputError, one_line
from kgprobe.processes.child import Ended, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits

__all__ = ["RealAudit", "Result", "Returned", "audit_by_running"]

_MOST_OUTPUT = 64 << 20
_MOST_SHOWN = 200

Command = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Returned:
    """What two runs of a test on one version returned: None for a part that differed between them.

    Without `is_over`, a run exceeded the time limit or wrote too much, so that its result is unknown.
    """

    code: int | None
    output: bytes | None  # a digest
    errors: bytes | None  # a digest
    shown: str
    is_over: bool = True

    @property
    def is_stable(self) -> bool:
        return self.is_over and self.code is not None and self.output is not None

    def differs(self, other: Returned) -> bool:
        """Whether a part that is the same in both runs on each version is not the same on the other version."""
        if not (self.is_over and other.is_over):
            return False
        parts = zip((self.code, self.output, self.errors), (other.code, other.output, other.errors), strict=True)
        return any(None not in pair and pair[0] != pair[1] for pair in parts)


@dataclass(frozen=True, slots=True)
class Result:
    """What a test returned on both versions."""

    old: Returned
    new: Returned

    @property
    def is_altered(self) -> bool:
        return self.old.differs(self.new)

    @property
    def is_unstable(self) -> bool:
        return not self.is_altered and not (self.old.is_stable and self.new.is_stable)


@dataclass(frozen=True)
class RealAudit:
    """The results of all tests, by their names, and the names of those that were selected."""

    results: dict[str, Result]
    selected: tuple[str, ...]

    @property
    def altered(self) -> tuple[str, ...]:
        return tuple(name for name, result in self.results.items() if result.is_altered)

    @property
    def missed(self) -> tuple[str, ...]:
        """The tests whose results changed, but which were not selected."""
        return tuple(name for name in self.altered if name not in set(self.selected))

    @property
    def unneeded(self) -> tuple[str, ...]:
        """The selected tests whose results are the same."""
        kept = {*self.altered, *self.unstable}
        return tuple(name for name in self.selected if name not in kept)

    @property
    def unstable(self) -> tuple[str, ...]:
        return tuple(name for name, result in self.results.items() if result.is_unstable)

    @property
    def failing(self) -> tuple[str, ...]:
        """The tests that fail on both versions in the same way: they may not work at all."""
        return tuple(
            name for name, result in self.results.items() if result.old.code not in (0, None) and not result.is_altered
        )


def audit_by_running(
    versions: tuple[Path, Path],
    tests: Sequence[str],
    selected: Collection[str],
    load: Command,
    command: Command,
    *,
    limit: float,
    on_progress: Callable[[int], None] = lambda _: None,
) -> RealAudit:
    """Load the old version, run every test twice, and do the same with the new one.

    `limit` is the time for each load and each run, in seconds. InputError if a version cannot be loaded.
    """
    guards = Guards()
    done = 0

    def pass_over(names: Iterable[str]) -> dict[str, _Run]:
        nonlocal done
        found = {}
        for name in names:
            found[name] = _Run.of(_ended("--run", command(name), limit, guards))
            done += 1
            on_progress(done)
        return found

    both = []
    try:
        for graph in versions:
            _load(graph, load(str(graph)), limit, guards)
            first, second = pass_over(tests), pass_over(reversed(tests))
            both.append({name: first[name].with_second(second[name]) for name in tests})
    finally:
        guards.close()
    old, new = both
    return RealAudit({name: Result(old[name], new[name]) for name in tests}, tuple(selected))


@dataclass(frozen=True, slots=True)
class _Run:
    code: int | None
    output: bytes
    errors: bytes
    shown: str

    @classmethod
    def of(cls, ended: Ended) -> _Run:
        output, errors = ended.stdout.whole, ended.stderr.whole
        is_over = ended.passed is None and output is not None and errors is not None
        text = (output or b"").decode(errors="replace").strip() or (errors or b"").decode(errors="replace").strip()
        said = one_line(text)[:_MOST_SHOWN]
        if ended.passed is not None:
            said = "took too long"
        elif not is_over:
            said = f"wrote more than {_MOST_OUTPUT >> 20} MB"
        shown = f"exit code {ended.code}: {said}" if is_over else said
        return cls(
            ended.code if is_over else None, sha256(output or b"").digest(), sha256(errors or b"").digest(), shown
        )

    def with_second(self, other: _Run) -> Returned:
        is_over = self.code is not None and other.code is not None
        return Returned(
            self.code if self.code == other.code else None,
            self.output if self.output == other.output else None,
            self.errors if self.errors == other.errors else None,
            self.shown,
            is_over,
        )


def _load(graph: Path, arguments: Sequence[str], limit: float, guards: Guards) -> None:
    ended = _ended("--load", arguments, limit, guards)
    if ended.passed is not None:
        raise InputError(f"--load: it took longer than {limit:g} s to load {graph}", hint="see --time-limit")
    if ended.code:
        said = one_line(ended.stderr.text() or ended.stdout.text())[-_MOST_SHOWN:]
        raise InputError(f"--load: ended with {ended.code} for {graph}" + (f": {said}" if said else ""))


def _ended(option: str, arguments: Sequence[str], limit: float, guards: Guards) -> Ended:
    try:
        return run(
            arguments,
            Limits(limit, 0),
            Setup(folder=Path.cwd(), most_output=_MOST_OUTPUT),
            all_or_nothing=True,
            guards=guards,
        )
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{option}: {arguments[0]!r} cannot be started: {reason}", hint="give the command as you would type it"
        ) from None
