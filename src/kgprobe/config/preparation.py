"""Reads the files that a profile names: seed graphs, operators, masks and pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kgprobe.config.profile import Inputs, MaskTable, MutationTable, Profile
from kgprobe.config.python_files import PythonFiles
from kgprobe.config.toml import KeyPath, Places
from kgprobe.errors import InputError, KgprobeError, did_you_mean
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Files, Library, imports_of, read_catalog, with_imports
from kgprobe.masks.ask import read_query
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.files import read_pins
from kgprobe.masks.mask import Check, Cost, Mask
from kgprobe.masks.pins import PinnedTriples
from kgprobe.masks.results import triple_text
from kgprobe.masks.shacl import ShaclCheck, read_shapes
from kgprobe.mutation.catalogue import all_different, operators_for
from kgprobe.mutation.generator import Weighted
from kgprobe.mutation.operator import Operator, Pins
from kgprobe.oracles.facts import listed
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner

__all__ = [
    "NO_LIMITS",
    "GraphReader",
    "Limits",
    "Material",
    "Preparation",
    "Seed",
    "as_seed",
    "graph_reader",
    "library_of",
    "prepare",
    "prepare_mutation",
]


@dataclass(frozen=True)
class Seed:
    """A graph to make mutants of, with the mask that must admit them and the pins that no operator may touch."""

    path: Path
    graph: Graph
    mask: Mask
    pins: Pins


@dataclass(frozen=True)
class Material:
    """Seed graphs and operators, ready to make mutants. `notes` are for the user."""

    inputs: Inputs
    mutation: MutationTable
    seeds: tuple[Seed, ...]
    operators: tuple[Weighted, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Preparation(Material):
    """The material of a profile."""

    profile: Profile


@contextmanager
def prepare(profile: Profile) -> Iterator[Preparation]:
    """Read all files that a profile names. Leaving the context closes the reasoner of its mask."""
    with prepare_mutation(profile.inputs, profile.mutation) as made:
        yield Preparation(made.inputs, made.mutation, made.seeds, made.operators, made.notes, profile)


@contextmanager
def prepare_mutation(inputs: Inputs, mutation: MutationTable) -> Iterator[Material]:
    """Read seed graphs, masks, pins and operators. Leaving the context closes the reasoner of the mask."""
    operators = _operators(inputs, mutation)
    shapes = _shapes(inputs.mask)
    pinned = [read_pins(path) for path in inputs.pins.files]
    library = library_of(inputs)
    notes: list[str] = []
    with _opened(inputs) as consistency:
        seeds = [_seed(path, inputs, library, [*shapes, *consistency], pinned, notes) for path in inputs.graph.seeds]
        yield Material(inputs, mutation, tuple(seeds), tuple(operators), tuple(notes))


@contextmanager
def as_seed(loaded: Loaded, inputs: Inputs) -> Iterator[Seed]:
    """A graph with these masks and pins, as if its file were one of the seed graphs.

    A graph without prefixes may be in a format that has none: then those of the first seed graph are used.
    """
    graph = loaded.graph
    reading = inputs.graph
    if not graph.spelling.prefixes and reading.seeds:
        spelling = load(reading.seeds[0], format_name=reading.format, base=reading.base).graph.spelling
        loaded = replace(loaded, graph=Graph.from_table(graph.table, spelling))
    shapes = _shapes(inputs.mask)
    pinned = [read_pins(path) for path in inputs.pins.files]
    with _opened(inputs) as consistency:
        seed = _bounded(Path(loaded.name), loaded, loaded, inputs, library_of(inputs), [*shapes, *consistency], pinned)
        yield replace(seed, graph=graph)


class GraphReader:
    """Reads graphs one by one, each with the mask and the pins of a profile."""

    def __init__(self, inputs: Inputs, shared: Sequence[Check], pinned: Sequence[PinnedTriples]) -> None:
        self._inputs = inputs
        self._shared = shared
        self._pinned = pinned

    def read(self, path: Path, files: Files | None = None) -> tuple[Seed, list[str]] | None:
        """The graph in a file, with its imports, and notes for the user; None if the file does not exist.

        `files` may read the same paths from an earlier version.
        """
        files = files or Files()
        reading = self._inputs.graph
        with _placed(self._inputs.places, ("graph", "base")):
            own = files.load(path, format_name=reading.format, base=reading.base)
        if own is None:
            return None
        library = Library([files.catalog(catalog) for catalog in reading.catalogs], reading.imports, (), files)
        notes: list[str] = []
        return _checked(path, own, self._inputs, library, self._shared, self._pinned, notes), notes


@contextmanager
def graph_reader(inputs: Inputs) -> Iterator[GraphReader]:
    """A reader for existing graphs. Leaving the context closes the reasoner of the mask."""
    shapes = _shapes(inputs.mask)
    pinned = [read_pins(path) for path in inputs.pins.files]
    with _opened(inputs) as consistency:
        yield GraphReader(inputs, [*shapes, *consistency], pinned)


def _shapes(mask: MaskTable) -> list[ShaclCheck]:
    return read_shapes(*mask.shapes, engine=mask.shacl_engine, seconds=mask.seconds)


def library_of(inputs: Inputs) -> Library:
    return Library([read_catalog(path) for path in inputs.graph.catalogs], inputs.graph.imports)


# -- operators ---------------------------------------------------------------------------------------------------------


def _operators(inputs: Inputs, mutation: MutationTable) -> list[Weighted]:
    found: list[Operator] = []
    for number, name in enumerate(mutation.operators):
        with _placed(inputs.places, ("mutation", "operators", number)):
            found = all_different([*found, *operators_for(name, inputs.folder)])
    files = PythonFiles()
    for number, function in enumerate(mutation.python):
        with _placed(inputs.places, ("python", "operators", number)):
            found = all_different([*found, files.operator(function.file, function.name)])
    return _weighted(found, mutation.weights, inputs.places)


def _weighted(operators: Sequence[Operator], weights: Mapping[str, float], places: Places) -> list[Weighted]:
    names = [operator.description.name for operator in operators]
    for name in weights:
        if name not in names:
            hint = did_you_mean(name, names, "a weight is for one operator, by its name")
            where = places.key(("mutation", "weights", name))
            raise InputError(f"'{name}' is not an operator of this profile", where=where, hint=hint)
    return [Weighted(operator, weights.get(operator.description.name, 1.0)) for operator in operators]


@contextmanager
def _placed(places: Places, path: KeyPath) -> Iterator[None]:
    """Gives errors without a position that of this key in the profile."""
    try:
        yield
    except KgprobeError as error:
        if error.where is not None:
            raise
        raise type(error)(error.message, where=places.value(path), hint=error.hint) from None


# -- seed graphs -------------------------------------------------------------------------------------------------------


def _seed(
    path: Path,
    inputs: Inputs,
    library: Library,
    shared: Sequence[Check],
    pinned: Sequence[PinnedTriples],
    notes: list[str],
) -> Seed:
    reading = inputs.graph
    with _placed(inputs.places, ("graph", "base")):
        own = load(path, format_name=reading.format, base=reading.base)
    return _checked(path, own, inputs, library, shared, pinned, notes)


def _checked(
    path: Path,
    own: Loaded,
    inputs: Inputs,
    library: Library,
    shared: Sequence[Check],
    pinned: Sequence[PinnedTriples],
    notes: list[str],
) -> Seed:
    """A graph that was read, with its imports. Adds notes for the user."""
    loaded = with_imports(own, library, strict=inputs.graph.strict_imports)
    notes += [f"{loaded.name}: {note}" for note in loaded.notes]
    graph = loaded.graph
    for triples in pinned:
        missing = triples.rejections(graph)
        if missing:
            more = f", and {len(missing) - 1} more like it" if len(missing) > 1 else ""
            notes.append(f"{triples.name}: {missing[0].words}{more}")
    for check in shared:
        if isinstance(check, ShaclCheck) and (doubt := check.doubt(graph)):
            notes.append(f'{check.name}: {doubt}; shacl-engine = "pyshacl" does')
    return _bounded(path, own, loaded, inputs, library, shared, pinned)


def _bounded(
    path: Path,
    own: Loaded,
    loaded: Loaded,
    inputs: Inputs,
    library: Library,
    shared: Sequence[Check],
    pinned: Sequence[PinnedTriples],
) -> Seed:
    """A graph with the mask and the pins for graphs made from it; `own` is the graph without its imports."""
    graph = loaded.graph
    prefixes, seconds = graph.spelling.prefixes, inputs.mask.seconds
    queries = [read_query(query, prefixes, seconds=seconds) for query in inputs.mask.queries]
    imported = [_imported(own, library)] if inputs.pins.imports else []
    namespaces = [_namespace(*pin, loaded, inputs.places) for pin in enumerate(inputs.pins.namespaces)]
    return Seed(path, graph, Mask([*queries, *shared]), Pins([*pinned, *imported], namespaces))


def _namespace(number: int, written: str, loaded: Loaded, places: Places) -> str:
    """A namespace in full; `number` is its place in the profile."""
    prefixes = loaded.graph.spelling.prefixes
    if written.endswith(":") and written[:-1] in prefixes:
        return prefixes[written[:-1]]
    where = places.value(("pins", "namespaces", number))
    scheme, colon, rest = written.partition(":")
    if not (colon and scheme and rest):
        hint = did_you_mean(
            written, (f"{prefix}:" for prefix in prefixes), "write an IRI, or a prefix of the seed graph with its colon"
        )
        raise InputError(f"{loaded.name} has no prefix '{written}'", where=where, hint=hint)
    try:
        return NamedNode(written).value
    except ValueError as error:
        raise InputError(f"'{written}' is not an IRI: {error}", where=where) from None


def _imported(own: Loaded, library: Library) -> PinnedTriples:
    """The triples of imported files: a graph that has only the header of the seed graph, with its imports."""
    header = [*own.graph.triples(None, OWL.imports), *own.graph.triples(None, OWL.versionIRI)]
    header += own.graph.triples(None, RDF.type, OWL.Ontology)
    alone = Loaded(Graph(header), own.format, own.name)
    together = with_imports(alone, library).graph
    said_here = set(header)
    files = sorted({library.found[iri].name for iri in imports_of(own.graph) if iri in library.found})
    label = f"{listed(files)} that it imports" if files else "what it imports"
    return PinnedTriples(Graph(triple for triple in together if triple not in said_here), "imports", label)


# -- the reasoner ------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(inputs: Inputs) -> Iterator[list[Check]]:
    if inputs.mask.reasoner is None:
        yield []
        return
    with _placed(inputs.places, ("mask", "reasoner")):
        reasoner = open_reasoner(inputs.mask.reasoner)
    try:
        yield [ConsistencyCheck(reasoner)]
    finally:
        reasoner.close()


# -- limits of a reduction ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """Which graphs a reduction may run: those that the mask admits and that have all pinned triples.

    `pinned` names these for reports, which do not list them: "food.ttl that it imports".
    """

    mask: Mask
    stays: tuple[Triple, ...] = ()
    pinned: str = ""

    @classmethod
    def of(cls, seed: Seed) -> Limits:
        """The limits for graphs made from this one."""
        table = seed.graph.table
        names = [pinned.label for pinned in seed.pins.triples if pinned.rows_in(table)]
        stays = tuple(seed.pins.pinned_in(seed.graph))
        in_files = frozenset(Pins(seed.pins.triples).pinned_in(seed.graph))
        names += [
            f"what is about <{namespace}>"
            for namespace in seed.pins.namespaces
            if not in_files.issuperset(Pins(namespaces=[namespace]).pinned_in(seed.graph))
        ]
        return cls(seed.mask, stays, listed(names) if names else "")

    def own(self, graph: Graph) -> Graph:
        """The graph without the pinned triples."""
        fixed = frozenset(self.stays)
        return Graph((triple for triple in graph if triple not in fixed), spelling=graph.spelling)

    def objection(self, graph: Graph) -> str | None:
        """Why a graph is not admissible; None if it is."""
        for triple in self.stays:
            if triple not in graph:
                return f"{triple_text(triple, graph.spelling)} is pinned, but was removed"
        for check in self.mask.checks:
            if not check.admits(graph):
                if check.cost is Cost.REASONING:  # finding the axioms that clash can take minutes
                    return f"{check.name}: it is not known to be consistent"
                first, *others = check.rejections(graph)
                more = f", and {len(others)} more" if others else ""
                return f"{first.check}: {first.words}{more}"
        return None


NO_LIMITS = Limits(Mask())
