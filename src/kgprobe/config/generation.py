"""Makes the mutants that a profile asks for, and makes one again from its manifest."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from kgprobe.config.preparation import Material, Seed
from kgprobe.config.profile import OutputTable
from kgprobe.config.toml import folder_name, relative
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import load, writable_format
from kgprobe.formats.imports import Library, read_catalog, with_imports
from kgprobe.given_files import is_there, open_file
from kgprobe.model import GraphInput
from kgprobe.mutation.generator import STRATEGIES, Generator, Tally
from kgprobe.mutation.mutant import Manifest, ManifestEntry
from kgprobe.mutation.output import MutantFolder, Written
from kgprobe.rdf.graph import Graph
from kgprobe.version import __version__

__all__ = ["folder_for", "generator_for", "names_of", "rebuilt", "rebuilt_all", "seed_graph_of"]


def generator_for(seed: Seed, material: Material, tally: Tally | None = None) -> Generator:
    """The generator for the mutants of one seed graph; `tally` counts earlier attempts, which are not repeated."""
    asked = material.mutation
    return Generator(
        seed.graph,
        material.operators,
        mutations=asked.mutations,
        seed=asked.seed,
        mask=seed.mask,
        pins=seed.pins,
        strategy=STRATEGIES[asked.strategy](),
        most_attempts=asked.attempts,
        tally=tally,
    )


def folder_for(seed: Seed, material: Material, output: OutputTable) -> MutantFolder:
    """The folder for the mutants of one seed graph. If there are several seed graphs, each has its own folder."""
    names = names_of(material) if len(material.seeds) > 1 else [""]
    name = next(name for each, name in zip(material.seeds, names, strict=True) if each is seed)
    folder = output.folder / name
    format_ = writable_format("", output.format)
    try:
        header = _header(seed, material, folder.resolve())
    except (OSError, ValueError) as error:  # not a valid name for a folder
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be written: {reason}", where=Position(str(folder))) from None
    return MutantFolder(folder, seed.graph, format_, Written(output.write), header)


def rebuilt(manifest: Manifest, number: int) -> tuple[Graph, Graph, ManifestEntry]:
    """The seed graph, and the mutant with this number, made again from the seed graph's file."""
    entry = manifest.entry(number)
    seed = seed_graph_of(manifest)
    return seed, _mutant_of(seed, entry, manifest), entry


def rebuilt_all(manifest: Manifest, seed: Graph) -> Iterator[tuple[Graph, ManifestEntry]]:
    """All mutants of a manifest, made again from its seed graph."""
    for entry in manifest.entries():
        yield _mutant_of(seed, entry, manifest), entry


def _mutant_of(seed: Graph, entry: ManifestEntry, manifest: Manifest) -> Graph:
    graph = seed.copy()
    try:
        graph.apply(entry.delta)
    except ValueError as error:
        raise InputError(f"mutant {entry.number}: {error}", where=Position(str(manifest.path))) from None
    return graph


def names_of(material: Material) -> list[str]:
    """A name for each seed graph: the name of its file, with a number if several files have the same name.

    Each name is safe as the name of a folder: it cannot lead out of the parent folder.
    """
    wanted = [folder_name(seed.path.stem) for seed in material.seeds]
    times = Counter(map(_without_case, wanted))
    taken = {name for name, times_wanted in times.items() if times_wanted == 1}
    names = []
    for name in wanted:
        if times[_without_case(name)] > 1:
            name = next(f"{name}-{n}" for n in count(1) if _without_case(f"{name}-{n}") not in taken)
        taken.add(_without_case(name))
        names.append(name)
    return names


def _without_case(name: str) -> str:
    """The name as some file systems compare it: without case, and with accents in one Unicode form."""
    return unicodedata.normalize("NFC", name).casefold()


def _header(seed: Seed, material: Material, folder: Path) -> dict[str, Any]:
    reading, asked = material.inputs.graph, material.mutation

    def here(path: Path) -> str:
        # The manifest can be moved together with the files that it names.
        return relative(path, folder)

    return {
        "kgprobe": __version__,
        "graph": {
            "file": here(seed.path),
            "sha256": _digest(seed.path),
            "triples": len(seed.graph),
            # Imported files are part of the seed graph, and only this shows that one of them has changed.
            "content": GraphInput(seed.graph).digest() if reading.imports or reading.catalogs else None,
            "format": reading.format,
            "base": reading.base,
            "imports": list(map(here, reading.imports)),
            "catalogs": list(map(here, reading.catalogs)),
        },
        "operators": [weighted.operator.description.name for weighted in material.operators],
        "mutations": asked.mutations,
        "strategy": asked.strategy,
        "seed": asked.seed,
        "mask": [check.name for check in seed.mask.checks],
    }


def seed_graph_of(manifest: Manifest) -> Graph:
    """The seed graph of a manifest, which must be as it was when the mutants were made."""
    where = Position(str(manifest.path), 1)
    folder = manifest.path.parent
    try:
        said: Mapping[str, Any] = manifest.header["graph"]
        path = folder / said["file"]
        imports, catalogs = [folder / name for name in said["imports"]], [folder / name for name in said["catalogs"]]
        expected, content = said["sha256"], said.get("content")
        format_name, base = said["format"], said["base"]
        if not all(value is None or isinstance(value, str) for value in (format_name, base)):
            raise TypeError
    except (KeyError, TypeError, AttributeError):
        raise InputError("this manifest does not name its seed graph", where=where) from None
    if not is_there(path, Path.is_file):
        raise InputError(f"the seed graph {path} does not exist", where=where, hint="was one of the two moved?")
    for imported in imports:
        if not is_there(imported, Path.is_dir):
            raise InputError(f"{imported}, the folder of its imports, does not exist", where=where)
    if _digest(path) != expected:
        message = f"the seed graph {path} has changed since the mutants were made"
        raise InputError(message, where=where)
    loaded = load(path, format_name=format_name, base=base)
    graph = with_imports(loaded, Library([read_catalog(name) for name in catalogs], imports)).graph
    if content is not None and GraphInput(graph).digest() != content:
        message = f"the imports of the seed graph {path} have changed since the mutants were made"
        raise InputError(message, where=where)
    return graph


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with os.fdopen(open_file(path), "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
