"""The tables of a profile. All paths are complete: users of a table need not know the folder of the profile.

The tables of systems are in `systems`, and the table of the oracle is in `oracles`, beside the code that uses them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeAlias

from kgprobe.config.oracles import KnownBug, OracleTable
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.systems import SystemTable
from kgprobe.config.tables import Duration, File, Folder, Matching, Problem, PythonFunction, found_at, written_as
from kgprobe.config.toml import Places
from kgprobe.errors import InputError
from kgprobe.masks.mask import DEFAULT_SECONDS

__all__ = [
    "METHODS",
    "CampaignTable",
    "CasesTable",
    "GraphTable",
    "Inputs",
    "MaskTable",
    "Method",
    "MutationTable",
    "OutputTable",
    "PinsTable",
    "Profile",
    "QueryTable",
]


@dataclass(frozen=True)
class GraphTable:
    """The graphs to start from, and how to read them."""

    seeds: tuple[Matching, ...] = ()
    format: str | None = None
    base: str | None = None
    imports: tuple[Folder, ...] = ()
    catalogs: tuple[File, ...] = ()
    strict_imports: bool = False


@dataclass(frozen=True)
class MaskTable:
    """Which graphs are admissible."""

    shapes: tuple[File, ...] = ()
    queries: tuple[File, ...] = ()
    shacl_engine: str = "shifty"
    reasoner: str | None = None
    seconds: float = DEFAULT_SECONDS


@dataclass(frozen=True)
class PinsTable:
    """Triples that no operator may touch. `namespaces` are IRIs, and prefixes of the seed graph."""

    files: tuple[File, ...] = ()
    namespaces: tuple[str, ...] = ()
    imports: bool = False


@dataclass(frozen=True)
class OutputTable:
    """Where mutants are written, and how."""

    folder: Path
    format: str = "ttl"
    write: str = "graphs"


@dataclass(frozen=True)
class CampaignTable:
    """When a campaign stops, and where its results go. None: no limit, or one worker for each processor.

    `outside_mask` lets reduced graphs leave the mask and the pins, which mutants never do. `keep_going` also uses seed
    graphs that are not admissible or on which a system fails.
    """

    store: Path
    seconds: Duration | None = field(default=None, metadata=written_as("for"))
    findings: int | None = None
    workers: int | None = None
    reduce: int = 1
    outside_mask: bool = False
    keep_going: bool = False

    @property
    def answers(self) -> Path:
        """The file for kept answers, beside the store."""
        return self.store.with_name(f"{self.store.stem}-answers.sqlite")

    @property
    def facts(self) -> Path:
        """The file for the facts that questions are made from, beside the store."""
        return self.store.with_name(f"{self.store.stem}-facts.duckdb")


# -- methods: one table type for each, of which a profile has one ------------------------------------------------------


@dataclass(frozen=True)
class MutationTable:
    """Cases are mutants: which operators to apply, and how often.

    `operators` are names, files and patterns as they were written, and `python` are operators in Python.
    """

    needs_seeds: ClassVar[bool] = True

    operators: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    mutations: int = 30
    mutants: int = 100
    strategy: str = "uniform"
    seed: int = 0
    attempts: int = 1000
    python: tuple[PythonFunction, ...] = field(default=(), metadata=found_at("python", "operators"))

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if not self.operators and not self.python:
            hint = 'write operators = ["generic"] below [mutation]'
            yield Problem("a profile needs operators", ("operators",), hint)
        for name, weight in self.weights.items():
            if not math.isfinite(weight):
                message = f"[mutation] weights.{name} is a number, not {weight}"
                yield Problem(message, ("weights", name), at_value=True)


@dataclass(frozen=True)
class CasesTable:
    """Cases are graphs that exist: files, or all versions of one file in a range of git revisions.

    The file itself may have been deleted since.
    """

    needs_seeds: ClassVar[bool] = False

    graphs: tuple[Matching, ...] = ()
    history: str | None = None
    file: Path | None = None

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if self.graphs and self.history is not None:
            yield Problem("[cases] has one of 'graphs' and 'history', not both", ("history",))
        elif not self.graphs and self.history is None:
            hint = 'write graphs = ["corpus/*.ttl"], or history = "v1..HEAD" and file = "menu.ttl"'
            yield Problem("[cases] needs 'graphs' or 'history'", (), hint)
        elif self.history is not None and self.file is None:
            hint = 'name the file whose versions are tested: file = "menu.ttl"'
            yield Problem("[cases] history needs 'file'", ("history",), hint)
        elif self.history is None and self.file is not None:
            yield Problem("[cases] 'file' is for 'history'", ("file",), 'write graphs = ["menu.ttl"]')


@dataclass(frozen=True)
class QueryTable:
    """Cases are data for a query: graphs that are generated from the query and an ontology.

    `data` is a file that says which values and how many individuals the data should have.
    """

    needs_seeds: ClassVar[bool] = False

    query: File = Path()
    ontology: tuple[Matching, ...] = ()
    cases: int = 100
    seed: int = 0
    data: File | None = None

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if self.query == Path():
            yield Problem("[query] needs 'query'", (), 'write query = "report.rq"')
        if not self.ontology:
            yield Problem("[query] needs 'ontology'", (), 'write ontology = ["onto.ttl"]')


Method: TypeAlias = MutationTable | CasesTable | QueryTable | QuestionsTable
"""How cases are made: a union of one table type for each method."""

METHODS: Mapping[str, type[Method]] = {
    "mutation": MutationTable,
    "cases": CasesTable,
    "query": QueryTable,
    "questions": QuestionsTable,
}
"""The table types by the names of their tables. A profile without any of these tables has the first, with defaults."""


# -- the profile -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """The graphs to start from, and which graphs may be made from them. `places` has the positions in the profile.

    Names of files in other tables are relative to `folder`.
    """

    graph: GraphTable
    mask: MaskTable = MaskTable()
    pins: PinsTable = PinsTable()
    folder: Path = Path()
    places: Places = field(default_factory=lambda: Places("command line"), compare=False, repr=False)


@dataclass(frozen=True)
class Profile:
    """One profile: its tables, its file, and where in the file each key is.

    `command` runs it, if it was not read from a file.
    """

    path: Path
    graph: GraphTable
    method: Method
    mask: MaskTable
    pins: PinsTable
    output: OutputTable
    systems: tuple[SystemTable, ...] = ()
    oracle: OracleTable = field(default_factory=OracleTable)
    known: tuple[KnownBug, ...] = ()
    campaign: CampaignTable = CampaignTable(Path("campaign.sqlite"))
    places: Places = field(default_factory=lambda: Places(""), compare=False, repr=False)
    command: str | None = None

    @property
    def folder(self) -> Path:
        """The folder that the paths in the profile are relative to."""
        return self.path.parent

    @property
    def mutation(self) -> MutationTable:
        """The table [mutation]. InputError if cases are made by another method."""
        if not isinstance(self.method, MutationTable):
            raise InputError("this profile has no [mutation]", where=self.places.key(()))
        return self.method

    @property
    def cases(self) -> CasesTable:
        """The table [cases]. InputError if cases are made by another method."""
        if not isinstance(self.method, CasesTable):
            raise InputError("this profile has no [cases]", where=self.places.key(()))
        return self.method

    @property
    def query(self) -> QueryTable:
        """The table [query]. InputError if cases are made by another method."""
        if not isinstance(self.method, QueryTable):
            raise InputError("this profile has no [query]", where=self.places.key(()))
        return self.method

    @property
    def questions(self) -> QuestionsTable:
        """The table [questions]. InputError if cases are made by another method."""
        if not isinstance(self.method, QuestionsTable):
            raise InputError("this profile has no [questions]", where=self.places.key(()))
        return self.method

    @property
    def inputs(self) -> Inputs:
        """The graphs to start from, and which graphs may be made from them."""
        return Inputs(self.graph, self.mask, self.pins, self.folder, self.places)
