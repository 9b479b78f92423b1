"""What a profile says, as values. Paths are whole: nobody has to know any more where the profile was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgprobe.config.places import Places
from kgprobe.masks.mask import DEFAULT_SECONDS

__all__ = [
    "CampaignTable",
    "GraphTable",
    "KnownBug",
    "MaskTable",
    "MutationTable",
    "OracleTable",
    "OutputTable",
    "PinsTable",
    "Profile",
    "PythonFunction",
    "ServiceTable",
    "SystemTable",
]


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
    seconds: float = DEFAULT_SECONDS


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
class ServiceTable:
    """How the server behind a system is started and stopped."""

    start: tuple[str, ...]
    health: str | None = None
    stop: tuple[str, ...] = ()
    seconds_to_start: float = 30.0


@dataclass(frozen=True)
class SystemTable:
    """A system under test: exactly one of command, function, reasoner, http and sparql says what it is."""

    name: str
    command: tuple[str, ...] = ()
    function: str | None = None
    reasoner: str | None = None
    http: str | None = None
    sparql: str | None = None
    format: str = "turtle"
    input: str = "graph"
    task: str = "consistency"
    answers: str | None = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    store: str | None = None
    queries: tuple[Path, ...] = ()
    service: ServiceTable | None = None
    seconds: float = 60.0
    memory_mb: int = 2048


@dataclass(frozen=True)
class OracleTable:
    """How runs are judged. `differential` None: if there are several systems."""

    exit: tuple[int, ...] = (0, 200, 201, 204)
    invalid: tuple[int, ...] = ()
    expected: Path | None = None
    same_as_seed: bool = False
    queries: tuple[Path, ...] = ()
    differential: bool | None = None
    runs: int = 1
    python: PythonFunction | None = None


@dataclass(frozen=True)
class KnownBug:
    """Findings that are counted apart: those whose signature fits this pattern."""

    signature: str
    note: str = ""


@dataclass(frozen=True)
class CampaignTable:
    """How long a campaign goes on, and where its results go. None: no limit, or as many workers as processors.

    `outside_mask` lets reduced graphs leave the mask and the pins, which mutants never do.
    `keep_going` uses seed graphs, too, that are not admissible or on which a system fails.
    """

    store: Path
    seconds: float | None = None
    findings: int | None = None
    workers: int | None = None
    reduce: int = 1
    outside_mask: bool = False
    keep_going: bool = False


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
    systems: tuple[SystemTable, ...] = ()
    oracle: OracleTable = OracleTable()
    known: tuple[KnownBug, ...] = ()
    campaign: CampaignTable = CampaignTable(Path("campaign.sqlite"))
    places: Places = field(default_factory=lambda: Places(""), compare=False, repr=False)

    @property
    def folder(self) -> Path:
        """What the paths in the profile are relative to."""
        return self.path.parent
