"""From a profile to what works: seed graphs that are read, operators, masks, pins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kgprobe.config.operators import all_different, operators_for
from kgprobe.config.places import Path as KeyPath
from kgprobe.config.profile import Profile
from kgprobe.config.python_files import PythonFiles
from kgprobe.errors import InputError, KgprobeError, nearest
from kgprobe.graph.catalogs import read_catalog
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.graph import Graph
from kgprobe.graph.imports import Library, with_imports
from kgprobe.graph.terms import OWL, RDF, NamedNode
from kgprobe.masks.ask import read_query
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.files import read_pins
from kgprobe.masks.mask import Check, Mask
from kgprobe.masks.pins import PinnedTriples
from kgprobe.masks.shacl import ShaclCheck, read_shapes
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.pins import Pins
from kgprobe.mutation.strategies import Weighted
from kgprobe.reasoners.choice import open_reasoner

__all__ = ["Preparation", "Seed", "as_seed", "prepare"]


@dataclass(frozen=True)
class Seed:
    """A graph to make mutants of, what they must keep to, and what must not be touched in it."""

    path: Path
    graph: Graph
    mask: Mask
    pins: Pins


@dataclass(frozen=True)
class Preparation:
    """All that a profile asks for. `notes` are what its user should know."""

    profile: Profile
    seeds: tuple[Seed, ...]
    operators: tuple[Weighted, ...]
    notes: tuple[str, ...]


@contextmanager
def prepare(profile: Profile) -> Iterator[Preparation]:
    """Read everything that a profile names. At the end of the `with`, the reasoner of its mask is closed."""
    operators = _operators(profile)
    shapes = _shapes(profile)
    pinned = [read_pins(path) for path in profile.pins.files]
    library = _library(profile)
    notes: list[str] = []
    with _opened(profile) as consistency:
        seeds = [_seed(path, profile, library, [*shapes, *consistency], pinned, notes) for path in profile.graph.seeds]
        yield Preparation(profile, tuple(seeds), tuple(operators), tuple(notes))


@contextmanager
def as_seed(loaded: Loaded, profile: Profile) -> Iterator[Seed]:
    """A graph with the mask and the pins of a profile, as if the profile named its file.

    A graph without prefixes may be in a format that has none: the profile is read with those of its first seed graph.
    """
    graph = loaded.graph
    if not graph.spelling.prefixes and profile.graph.seeds:
        spelling = load(
            profile.graph.seeds[0], format_name=profile.graph.format, base=profile.graph.base
        ).graph.spelling
        loaded = replace(loaded, graph=Graph.from_table(graph.table, spelling))
    shapes = _shapes(profile)
    pinned = [read_pins(path) for path in profile.pins.files]
    with _opened(profile) as consistency:
        seed = _bounded(Path(loaded.name), loaded, loaded, profile, _library(profile), [*shapes, *consistency], pinned)
        yield replace(seed, graph=graph)


def _shapes(profile: Profile) -> list[ShaclCheck]:
    mask = profile.mask
    return [read_shapes(path, engine=mask.shacl_engine, seconds=mask.seconds) for path in mask.shapes]


def _library(profile: Profile) -> Library:
    return Library([read_catalog(path) for path in profile.graph.catalogs], profile.graph.imports)


# -- operators ---------------------------------------------------------------------------------------------------------


def _operators(profile: Profile) -> list[Weighted]:
    found: list[Operator] = []
    for number, name in enumerate(profile.mutation.operators):
        with _placed(profile, ("mutation", "operators", number)):
            found = all_different([*found, *operators_for(name, profile.folder)])
    files = PythonFiles()
    for number, function in enumerate(profile.python):
        with _placed(profile, ("python", "operators", number)):
            found = all_different([*found, files.operator(function.file, function.name)])
    return _weighted(found, profile)


def _weighted(operators: Sequence[Operator], profile: Profile) -> list[Weighted]:
    weights = profile.mutation.weights
    names = [operator.description.name for operator in operators]
    for name in weights:
        if name not in names:
            meant = nearest(name, names)
            hint = f"did you mean '{meant}'?" if meant else "a weight is for one operator, by its name"
            where = profile.places.key(("mutation", "weights", name))
            raise InputError(f"'{name}' is none of the operators of this profile", where=where, hint=hint)
    return [Weighted(operator, weights.get(operator.description.name, 1.0)) for operator in operators]


@contextmanager
def _placed(profile: Profile, path: KeyPath) -> Iterator[None]:
    """Errors that do not say where they come from come from this part of the profile."""
    try:
        yield
    except KgprobeError as error:
        if error.where is not None:
            raise
        raise type(error)(error.message, where=profile.places.value(path), hint=error.hint) from None


# -- seed graphs -------------------------------------------------------------------------------------------------------


def _seed(
    path: Path,
    profile: Profile,
    library: Library,
    shared: Sequence[Check],
    pinned: Sequence[PinnedTriples],
    notes: list[str],
) -> Seed:
    with _placed(profile, ("graph", "base")):
        own = load(path, format_name=profile.graph.format, base=profile.graph.base)
    loaded = with_imports(own, library, strict=profile.graph.strict_imports)
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
    return _bounded(path, own, loaded, profile, library, shared, pinned)


def _bounded(
    path: Path,
    own: Loaded,
    loaded: Loaded,
    profile: Profile,
    library: Library,
    shared: Sequence[Check],
    pinned: Sequence[PinnedTriples],
) -> Seed:
    """A graph, read without and with its imports, and what is demanded of graphs that are made of it."""
    graph = loaded.graph
    prefixes, seconds = graph.spelling.prefixes, profile.mask.seconds
    queries = [read_query(query, prefixes, seconds=seconds) for query in profile.mask.queries]
    imported = [_imported(own, library)] if profile.pins.imports else []
    namespaces = [_namespace(*pin, loaded, profile) for pin in enumerate(profile.pins.namespaces)]
    return Seed(path, graph, Mask([*queries, *shared]), Pins([*pinned, *imported], namespaces))


def _namespace(number: int, written: str, loaded: Loaded, profile: Profile) -> str:
    """A namespace in full; `number` is its place in the profile."""
    prefixes = loaded.graph.spelling.prefixes
    if written.endswith(":") and written[:-1] in prefixes:
        return prefixes[written[:-1]]
    where = profile.places.value(("pins", "namespaces", number))
    scheme, colon, rest = written.partition(":")
    if not (colon and scheme and rest):
        meant = nearest(written, (f"{prefix}:" for prefix in prefixes))
        hint = f"did you mean '{meant}'?" if meant else "write an IRI, or a prefix of the seed graph with its colon"
        raise InputError(f"{loaded.name} has no prefix '{written}'", where=where, hint=hint)
    try:
        return NamedNode(written).value
    except ValueError as error:
        raise InputError(f"'{written}' is no IRI: {error}", where=where) from None


def _imported(own: Loaded, library: Library) -> PinnedTriples:
    """What imported files say: what a graph with nothing but the header of the seed is with its imports."""
    header = [*own.graph.triples(None, OWL.imports), *own.graph.triples(None, OWL.versionIRI)]
    header += own.graph.triples(None, RDF.type, OWL.Ontology)
    alone = Loaded(Graph(header), own.format, own.name)
    together = with_imports(alone, library).graph
    said_here = set(header)
    return PinnedTriples(Graph(triple for triple in together if triple not in said_here), "imports")


# -- the reasoner ------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(profile: Profile) -> Iterator[list[Check]]:
    if profile.mask.reasoner is None:
        yield []
        return
    with _placed(profile, ("mask", "reasoner")):
        reasoner = open_reasoner(profile.mask.reasoner)
    try:
        yield [ConsistencyCheck(reasoner)]
    finally:
        reasoner.close()
