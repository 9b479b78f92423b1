"""The table [oracle] of a profile, and the oracles that it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.config.systems import SystemTable
from kgprobe.config.tables import File, PythonFunction, found_at
from kgprobe.given_files import read_text

if TYPE_CHECKING:
    from kgprobe.oracles.inference import InferenceOracle
    from kgprobe.oracles.protocol import Oracle
    from kgprobe.oracles.signatures import KnownBugs

__all__ = ["Harness", "KnownBug", "OracleTable", "inference_oracle", "known_in", "oracles_for"]


@dataclass(frozen=True)
class OracleTable:
    """How runs are judged. `differential` None: if there are several systems."""

    exit: tuple[int, ...] = (0, 200, 201, 204)
    invalid: tuple[int, ...] = ()
    expected: File | None = None
    same_as_seed: bool = False
    queries: tuple[File, ...] = ()
    differential: bool | None = None
    runs: int = 1
    python: PythonFunction | None = field(default=None, metadata=found_at("python", "oracle"))


@dataclass(frozen=True)
class KnownBug:
    """Findings that are counted apart: those whose signature fits this pattern."""

    signature: str
    note: str = ""


@dataclass(frozen=True)
class Harness:
    """The systems under test, and how their runs are judged. Their files are relative to `folder`.

    `answers` is the file for answers that are worth keeping. `reader` finds the decisions in answers to questions; None
    if the systems are not asked questions.
    """

    systems: tuple[SystemTable, ...]
    oracle: OracleTable = OracleTable()
    folder: Path = Path()
    answers: Path | None = None
    reader: str | None = None

    @property
    def input(self) -> str:
        """The kind of input that the systems get: "graph" or "dialogue"."""
        return "graph" if self.reader is None else "dialogue"


def oracles_for(harness: Harness) -> list[Oracle]:
    """The oracles that a profile asks for."""
    # Every command that reads a profile imports this module; only those that judge runs wait for these.
    from kgprobe.config.python_files import PythonFiles
    from kgprobe.oracles.differential import CONSISTENCY, Differential
    from kgprobe.oracles.single_run import ExitStatus, ExpectedOutput, OutputQuery, Predicate
    from kgprobe.oracles.unchanged import SameAsSeed

    asked = harness.oracle
    if harness.reader is not None:
        return [inference_oracle(harness.reader, asked)]
    endings = ExitStatus(asked.exit, asked.invalid)
    found: list[Oracle] = [endings]
    if asked.expected is not None:
        found.append(ExpectedOutput(read_text(asked.expected)))
    if asked.same_as_seed:
        found.append(SameAsSeed(endings=endings))
    found += [OutputQuery(read_text(path), path.name) for path in asked.queries]
    if asked.python is not None:
        found.append(Predicate(PythonFiles().function(asked.python.file, asked.python.name), asked.python.name))
    is_differential = len(harness.systems) > 1 if asked.differential is None else asked.differential
    if is_differential:
        questions = {system.question for system in harness.systems}
        found.append(Differential(question=CONSISTENCY if questions == {CONSISTENCY} else ""))
    return found


def inference_oracle(reader: str, asked: OracleTable) -> InferenceOracle:
    """The oracle for questions whose answers are read in this way."""
    from kgprobe.oracles.inference import InferenceOracle
    from kgprobe.questions.reading import reader_for

    # An answer is read before the next stage, and again for the verdict. For the paper, an answer without a keyword is
    # a wrong answer.
    read = lru_cache(maxsize=64)(reader_for(reader))
    return InferenceOracle(read, strict=reader == "paper", statuses=asked.exit)


def known_in(tables: Iterable[KnownBug]) -> KnownBugs:
    """The known bugs of a profile, ready to compare findings with."""
    from kgprobe.oracles.signatures import KnownBugs

    return KnownBugs([(bug.signature, bug.note) for bug in tables])
