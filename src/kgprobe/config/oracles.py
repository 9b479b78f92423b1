"""The tables [oracle] and [[known]] of a profile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from kgprobe.config.tables import AnyText, File, PythonFunction, found_at, key

__all__ = ["KnownBug", "OracleTable"]


@dataclass(frozen=True)
class OracleTable:
    """How runs are judged. `differential` None: if there are several systems."""

    exit: Annotated[
        tuple[Annotated[int, key("A status", "A status.")], ...],
        key("Exit status", "Exit statuses, or HTTP statuses, that are right.", minItems=1),
    ] = (0, 200, 201, 204)
    invalid: Annotated[
        tuple[Annotated[int, key("A status", "A status.")], ...],
        key(
            "Invalid input",
            "Exit statuses with which a system rejects its input. Such a case neither passes nor fails.",
        ),
    ] = ()
    expected: Annotated[File | None, key("Expected output", "A file with the expected standard output.")] = None
    same_as_seed: Annotated[
        bool, key("Same as on the seed graph", "Whether the answer of a system must be the same as on the seed graph.")
    ] = False
    queries: Annotated[
        tuple[Annotated[File, key("A file", "A file with an ASK query.")], ...],
        key("Queries", "Files with one SPARQL ASK query each, which must be true on the graph that a system writes."),
    ] = ()
    differential: Annotated[
        bool | None,
        key(
            "Differential", "Whether all systems must give the same answer. By default, they must if there are several."
        ),
    ] = None
    runs: Annotated[
        int,
        key(
            "Runs",
            "The number of runs of each case, for systems with randomness. The majority decides.",
            minimum=1,
            maximum=1000,
        ),
    ] = 1
    python: PythonFunction | None = field(default=None, metadata=found_at("python", "oracle"))


@dataclass(frozen=True)
class KnownBug:
    """Findings that are counted apart: those whose signature fits this pattern."""

    signature: Annotated[str, key("Signature", "The signature of the findings; * stands for any text.")]
    note: Annotated[AnyText, key("Note", "For example, the link to its report.")] = ""
