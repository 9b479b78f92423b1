"""The tables [oracle] and [[known]] of a profile."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgprobe.config.tables import File, PythonFunction, found_at

__all__ = ["KnownBug", "OracleTable"]


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
