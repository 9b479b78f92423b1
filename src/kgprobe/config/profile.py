"""The tables of a profile. All paths are complete: users of a table need not know the folder of the profile.

The tables of systems are in `systems`, and the table of questions is in `questions`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeAlias, TypeVar

from kgprobe.config.questions import QuestionsTable
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import REASONERS
from kgprobe.config.tables import (
    AnyText,
    Duration,
    File,
    Folder,
    Matching,
    Problem,
    PythonFunction,
    described,
    found_at,
    key,
)
from kgprobe.config.toml import Places
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS
from kgprobe.masks.mask import DEFAULT_SECONDS

__all__ = [
    "METHODS",
    "CampaignTable",
    "CasesTable",
    "GraphTable",
    "Inputs",
    "KnownBug",
    "MaskTable",
    "Method",
    "MutationTable",
    "OracleTable",
    "OutputTable",
    "PinsTable",
    "Profile",
    "QueryTable",
]


_WRITABLE = (
    "ttl",
    "turtle",
    "nt",
    "ntriples",
    "nq",
    "nquads",
    "trig",
    "rdf",
    "owl",
    "rdfxml",
    "jsonld",
    "ofn",
    "functional",
)


@dataclass(frozen=True)
class GraphTable:
    """The graphs to start from, and how to read them."""

    seeds: tuple[Matching, ...] = key(
        "Seed graphs",
        "Files with one graph each, or patterns such as ontologies/*.owl. Each graph gets its own mutants.",
        items=("A file", "A file with a graph."),
        minItems=1,
        default=(),
    )
    format: str | None = key(
        "Format",
        "The format of the seed graphs. By default, it is detected from their content.",
        enum=FORMATS,
        default=None,
    )
    base: str | None = key("Base IRI", "The base of relative IRIs, and of bare names in TSV.", default=None)
    imports: tuple[Folder, ...] = key(
        "Folders with imported graphs",
        "Folders to search for owl:imports.",
        items=("A folder", "A folder with graphs."),
        default=(),
    )
    catalogs: tuple[File, ...] = key(
        "Catalogs of imported graphs",
        "OASIS XML catalogs to search for owl:imports, before the folders.",
        items=("A file", "An XML catalog."),
        default=(),
    )
    strict_imports: bool = key("Strict imports", "Whether an import that is not found is an error.", default=False)


@dataclass(frozen=True)
class MaskTable:
    """Which graphs are admissible."""

    shapes: tuple[File, ...] = key(
        "Shapes", "Files with SHACL shapes.", items=("A file", "A file with shapes."), default=()
    )
    queries: tuple[File, ...] = key(
        "Queries",
        "Files with one SPARQL ASK query each, which must be true. They may use the prefixes of the seed graph.",
        items=("A file", "A file with an ASK query."),
        default=(),
    )
    shacl_engine: str = key(
        "SHACL engine", "The engine that validates shapes.", enum=("shifty", "pyshacl"), default="shifty"
    )
    seconds: float = key(
        "Time limit",
        "The time in seconds for each shapes file and each query on one graph. If one takes longer, the graph is "
        "not admitted.",
        exclusiveMinimum=0,
        maximum=1000000,
        default=DEFAULT_SECONDS,
    )
    reasoner: str | None = key(
        "Reasoner",
        "The reasoner that decides whether mutants are consistent. auto does not need Java.",
        enum=REASONERS,
        default=None,
    )


@dataclass(frozen=True)
class PinsTable:
    """Triples that no operator may touch. `namespaces` are IRIs, and prefixes of the seed graph."""

    files: tuple[File, ...] = key(
        "Pinned triples", "Files with triples that stay.", items=("A file", "A file with triples."), default=()
    )
    namespaces: tuple[str, ...] = key(
        "Pinned namespaces",
        "Triples with a subject in one of these namespaces stay: an IRI, or a prefix of the seed graph with its colon.",
        items=("A namespace", 'The start of IRIs, or a prefix such as "ex:".'),
        default=(),
    )
    imports: bool = key("Pinned imports", "Whether all triples of imported files stay.", default=False)


@dataclass(frozen=True)
class OutputTable:
    """Where mutants are written, and how."""

    folder: Path = key("Folder", "Where mutants are written.", default="mutants", is_filled_in=True)
    format: str = key("Format", "The format of mutants that are written as graphs.", enum=_WRITABLE, default="ttl")
    write: str = key(
        "Content",
        "Whole graphs, or only the changes: as patches, or as SPARQL updates.",
        enum=("graphs", "patches", "updates"),
        default="graphs",
    )


@dataclass(frozen=True)
class OracleTable:
    """How runs are judged. `differential` None: if there are several systems."""

    exit: tuple[int, ...] = key(
        "Exit status",
        "Exit statuses, or HTTP statuses, that are right.",
        items=("A status", "A status."),
        minItems=1,
        default=(0, 200, 201, 204),
    )
    invalid: tuple[int, ...] = key(
        "Invalid input",
        "Exit statuses with which a system rejects its input. Such a case neither passes nor fails.",
        items=("A status", "A status."),
        default=(),
    )
    expected: File | None = key("Expected output", "A file with the expected standard output.", default=None)
    same_as_seed: bool = key(
        "Same as on the seed graph",
        "Whether the answer of a system must be the same as on the seed graph.",
        default=False,
    )
    queries: tuple[File, ...] = key(
        "Queries",
        "Files with one SPARQL ASK query each, which must be true on the graph that a system writes.",
        items=("A file", "A file with an ASK query."),
        default=(),
    )
    python: PythonFunction | None = field(default=None, metadata=found_at("python", "oracle"))
    differential: bool | None = key(
        "Differential",
        "Whether all systems must give the same answer. By default, they must if there are several.",
        default=None,
    )
    runs: int = key(
        "Runs",
        "The number of runs of each case, for systems with randomness. The majority decides.",
        minimum=1,
        maximum=1000,
        default=1,
    )

    @property
    def compares_with_seed(self) -> bool:
        """Whether the answer for a case is compared with that for its seed graph."""
        return self.same_as_seed


@dataclass(frozen=True)
class KnownBug:
    """Findings that are counted apart: those whose signature fits this pattern."""

    signature: str = key("Signature", "The signature of the findings; * stands for any text.")
    note: AnyText = key("Note", "For example, the link to its report.", default="")


@dataclass(frozen=True)
class CampaignTable:
    """When a campaign stops, and where its results go. None: no limit, or one worker for each processor.

    `outside_mask` lets reduced graphs leave the mask and the pins, which mutants never do. `keep_going` also uses seed
    graphs that are not admissible or on which a system fails.
    """

    store: Path = key(
        "Store",
        "The file for all results. By default, it has the name of the profile, with .sqlite.",
        is_filled_in=True,
    )
    seconds: Duration | None = key("Time", 'when to stop, such as "90s", "10m" or "2h"', default=None, name="for")
    findings: int | None = key("Findings", "Stop after this number of different findings.", minimum=1, default=None)
    workers: int | None = key(
        "Workers",
        "The number of cases that run at the same time. By default, the number of processors.",
        minimum=1,
        maximum=1024,
        default=None,
    )
    reduce: int = key("Reduce", "The number of cases of each finding to reduce; 0 for none.", minimum=0, default=1)
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

    operators: tuple[str, ...] = key(
        "Operators",
        "Sets (generic, owl-el, owl-dl, abox, imports), operators by name, and files: operators/*.ru matches all "
        "files of a folder, and so does the name of the folder.",
        items=("Operators", "A set, an operator, a file, a pattern for files, or a folder."),
        default=(),
    )
    weights: Mapping[str, float] = key(
        "Weights",
        "How often each operator is picked, relative to the others. The default is 1.",
        items=described("A weight", "2 is twice as often as 1.", exclusiveMinimum=0, maximum=1000000),
        default={},
    )
    mutations: int = key("Mutations", "The number of operators to apply for each mutant.", minimum=1, default=30)
    mutants: int = key("Mutants", "The number of mutants of each seed graph.", minimum=1, default=100)
    strategy: str = key(
        "Strategy",
        "How the next operator is picked: by weight alone (uniform), or in favour of constructs that no mutant "
        "had before (coverage).",
        enum=("uniform", "coverage"),
        default="uniform",
    )
    seed: int = key("Random seed", "The same number gives the same mutants.", default=0)
    attempts: int = key(
        "Attempts",
        "The maximum number of attempts for each mutant, until the mask admits one.",
        minimum=1,
        default=1000,
    )
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

    graphs: tuple[Matching, ...] = key(
        "Graphs",
        "Files with one graph each, or patterns such as corpus/*.ttl. Each is a case.",
        items=("A file", "A file with a graph, or a pattern."),
        minItems=1,
        default=(),
    )
    history: str | None = key(
        "History", "A range of git revisions, such as v1..HEAD. Each version of the file in it is a case.", default=None
    )
    file: Path | None = key("File", "The file whose versions are tested.", default=None)

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

    query: File = key("Query", "The file with the SPARQL query that the data are for.", default=Path())
    ontology: tuple[Matching, ...] = key(
        "Ontology",
        "The files of the ontology, or patterns. All cases contain it and are consistent with it.",
        items=("A file", "A file with an ontology, or a pattern."),
        minItems=1,
        default=(),
    )
    cases: int = key("Cases", "The number of data sets.", minimum=1, default=100)
    seed: int = key("Random seed", "The same number gives the same data.", default=0)
    data: File | None = key(
        "Data", "A TOML file with values and numbers for the data, as for kgprobe query test.", default=None
    )

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if self.query == Path():
            yield Problem("[query] needs 'query'", (), 'write query = "report.rq"')
        if not self.ontology:
            yield Problem("[query] needs 'ontology'", (), 'write ontology = ["onto.ttl"]')


_Method = TypeVar("_Method", MutationTable, CasesTable, QueryTable, QuestionsTable)

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
        return self._made_by(MutationTable)

    @property
    def cases(self) -> CasesTable:
        """The table [cases]. InputError if cases are made by another method."""
        return self._made_by(CasesTable)

    @property
    def query(self) -> QueryTable:
        """The table [query]. InputError if cases are made by another method."""
        return self._made_by(QueryTable)

    @property
    def questions(self) -> QuestionsTable:
        """The table [questions]. InputError if cases are made by another method."""
        return self._made_by(QuestionsTable)

    def _made_by(self, kind: type[_Method]) -> _Method:
        if not isinstance(self.method, kind):
            [name] = (name for name, table in METHODS.items() if table is kind)
            raise InputError(f"this profile has no [{name}]", where=self.places.key(()))
        return self.method

    @property
    def inputs(self) -> Inputs:
        """The graphs to start from, and which graphs may be made from them."""
        return Inputs(self.graph, self.mask, self.pins, self.folder, self.places)
