"""What a profile says, as values. Paths are whole: nobody has to know any more where the profile was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgprobe.config.places import Places

__all__ = ["GraphTable", "MaskTable", "MutationTable", "OutputTable", "PinsTable", "Profile", "PythonFunction"]


@dataclass(frozen=True)
class GraphTable:
    """The graphs to start from, and how to read them."""

    seeds: tuple[Path, ...]
    format: str | None = None
    base: str | None = None
    imports: tuple[Path, ...] = ()
    catalogs: tuple[Path, ...] = ()
    strict_imports: bool = False


@dataclass(frozen=True)
class MutationTable:
    """Which operators to apply, and how often. `operators` are names, files and patterns as they were written."""

    operators: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    mutations: int = 30
    mutants: int = 100
    strategy: str = "uniform"
    seed: int = 0
    attempts: int = 1000


@dataclass(frozen=True)
class MaskTable:
    """Which mutants are admissible."""

    shapes: tuple[Path, ...] = ()
    queries: tuple[Path, ...] = ()
    shacl_engine: str = "shifty"
    reasoner: str | None = None


@dataclass(frozen=True)
class PinsTable:
    """What no operator may touch. `namespaces` are IRIs, and prefixes of the seed graph."""

    files: tuple[Path, ...] = ()
    namespaces: tuple[str, ...] = ()
    imports: bool = False


@dataclass(frozen=True)
class OutputTable:
    """Where mutants are written, and how."""

    folder: Path
    format: str = "ttl"
    write: str = "graphs"


@dataclass(frozen=True)
class PythonFunction:
    """A function in a file."""

    file: Path
    name: str


@dataclass(frozen=True)
class Profile:
    """One profile: what to do, the folder it is in, and where in its file each thing is said."""

    path: Path
    graph: GraphTable
    mutation: MutationTable
    mask: MaskTable
    pins: PinsTable
    output: OutputTable
    python: tuple[PythonFunction, ...] = ()
    places: Places = field(default_factory=lambda: Places(""), compare=False, repr=False)

    @property
    def folder(self) -> Path:
        """What the paths in the profile are relative to."""
        return self.path.parent
