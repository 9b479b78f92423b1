"""What `kgprobe select` is told, beside the graphs and how to read them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from kgprobe.entailment.regime import Regime
from kgprobe.errors import InputError
from kgprobe.selection.discovery.options import FinderOptions

__all__ = ["SelectOptions"]


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """The options of the command, by their names."""

    tests: tuple[str, ...]
    since: str | None
    regime: Regime
    reasoner: str | None
    mode: str
    output: str
    as_json: bool
    matrix: Path | None
    recorded: Path | None
    test_files: tuple[str, ...]
    terms_command: str | None
    failures: tuple[Path, ...]
    run: str | None
    time_limit: float
    fix: bool
    with_coverage: bool
    record: str | None
    history: str | None
    audit: bool
    mutants: int
    mutations: int
    operators: tuple[str, ...]
    seed: int

    def check(self) -> None:
        """InputError if options ask for different jobs: one of them would be passed over in silence."""
        jobs = {"--audit": self.audit, "--history": self.history is not None, "--record": self.record is not None}
        asked = [name for name, is_given in jobs.items() if is_given]
        of_a_plan = {
            "--since": self.since,
            "--run": self.run,
            "--fix": self.fix,
            "--coverage": self.with_coverage,
            "--failures": self.failures,
        }
        if asked:
            asked += [name for name, given in of_a_plan.items() if given]
        if len(asked) > 1:
            raise InputError(f"{asked[0]} and {asked[1]} do not go together", hint="give one of them at a time")

    @property
    def prints_json(self) -> bool:
        return self.as_json or self.output == "json"

    @property
    def places(self) -> list[Path]:
        """Where the tests are."""
        return [Path(place) for place in self.tests] or [Path()]

    def finder(self) -> FinderOptions:
        """How tests are found. InputError if that cannot be."""
        try:
            command = tuple(shlex.split(self.terms_command or ""))
        except ValueError as error:
            raise InputError(f"--terms-command: {self.terms_command!r} is no command: {error}") from None
        if command and not self.test_files:
            hint = "--test-files '*.cypher'"
            raise InputError("--terms-command needs --test-files, the files that it is for", hint=hint)
        return FinderOptions(
            matrix=self.matrix,
            recorded=None if self.record else self.recorded,
            test_files=self.test_files,
            terms_command=command,
        )
