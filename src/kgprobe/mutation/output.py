"""Writes mutants to files: whole graphs or only the changes, and a manifest of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from kgprobe.errors import InputError, Position
from kgprobe.formats.files import save
from kgprobe.formats.format import Format
from kgprobe.masks.pins import TooAlikeError, images
from kgprobe.mutation.mutant import Mutant, entry_line, header_line, read_manifest
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import BlankNode, Subject, Term, Triple

__all__ = ["MANIFEST", "MutantFolder", "Written", "change_text", "clear"]

MANIFEST = "manifest.jsonl"
# The names of the files that kgprobe writes. A folder may hold others with similar names, such as notes on mutants.
_MUTANT = re.compile(r"mutant-\d{4,}\.[a-z]+")


class Written(StrEnum):
    """The content of a mutant's file."""

    GRAPHS = "graphs"
    PATCHES = "patches"
    UPDATES = "updates"


class MutantFolder:
    """A folder that mutants of one seed graph are written to, one by one; the manifest is up to date at any time."""

    def __init__(self, folder: Path, seed: Graph, format_: Format, written: Written, header: Mapping[str, Any]) -> None:
        self.folder = folder
        self._seed = seed
        self._format = format_
        self._written = written
        self._header = header
        self._manifest: TextIO | None = None

    @property
    def manifest(self) -> Path:
        """The path of the manifest."""
        return self.folder / MANIFEST

    def __enter__(self) -> MutantFolder:
        where = Position(str(self.folder))
        first_line = header_line(self._header)
        if first_line.encode(errors="replace").decode() != first_line:
            message = "a manifest cannot be written: it names a file whose name is not UTF-8"
            raise InputError(message, where=where, hint="rename the file")
        try:
            if self.folder.exists() and not self.folder.is_dir():
                raise InputError("is a file, not a folder", where=where, hint="name the folder to write mutants to")
            self.folder.mkdir(parents=True, exist_ok=True)
            if _files(self.folder):  # even without a manifest: the user may need them
                raise FileExistsError
            self._manifest = self.manifest.open("x", encoding="utf-8", newline="\n")
            self._manifest.write(first_line)
            self._manifest.flush()
        except FileExistsError:
            hint = "name another folder with --out, or replace them with --force"
            raise InputError("this folder already contains mutants", where=where, hint=hint) from None
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=where) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._manifest is not None:
            self._manifest.close()

    def write(self, mutant: Mutant) -> Path:
        """Write a mutant and its line in the manifest. Errors name the file that cannot be written."""
        assert self._manifest is not None  # noqa: S101 - only inside of `with`
        path = self.folder / f"mutant-{mutant.number:04}{self._extension}"
        try:
            self._write(mutant, path)
            self._manifest.write(entry_line(mutant, path.name))
            self._manifest.flush()
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", where=Position(str(path))) from None
        except InputError as error:
            raise InputError(error.message, where=error.where or Position(str(path)), hint=error.hint) from None
        return path

    def _write(self, mutant: Mutant, path: Path) -> None:
        if self._written is Written.GRAPHS:
            save(mutant.graph, path, format_name=self._format.name)
        else:
            path.write_text(change_text(mutant.delta, self._seed, self._written), encoding="utf-8", newline="\n")

    @property
    def _extension(self) -> str:
        extensions = {Written.GRAPHS: self._format.extensions[0], Written.PATCHES: "rdfp", Written.UPDATES: "ru"}
        return "." + extensions[self._written]


def change_text(delta: Delta, seed: Graph, written: Written) -> str:
    """A change to the seed graph as a patch or as an update."""
    return sparql_update(delta, seed) if written is Written.UPDATES else rdf_patch(delta)


def clear(folder: Path, keep: Iterable[Path] = ()) -> None:
    """Remove the mutants that an earlier run left in a folder, and nothing else. InputError if one must be kept.

    Without the manifest of an earlier run, the origin of the files is unknown.
    """
    going = _files(folder)
    if going and not _has_manifest(folder):
        hint = "remove them yourself, or write to another folder with --out"
        message = f"has files with names of mutants ({going[0].name}), but no manifest of mutants"
        raise InputError(message, where=Position(str(folder)), hint=hint)
    kept = {path.resolve() for path in keep}
    for path in going:
        if path.resolve() in kept:
            hint = "write to another folder"
            raise InputError(
                "is still needed, but it is one of the mutants to replace", where=Position(str(path)), hint=hint
            )
    for path in going:
        try:
            path.unlink()
        except OSError as error:
            raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(path))) from None


def _has_manifest(folder: Path) -> bool:
    try:
        read_manifest(folder / MANIFEST)
    except InputError:
        return False
    return True


def _files(folder: Path) -> list[Path]:
    """The mutants in a folder, then their manifest: as long as that exists, the folder needs clearing."""
    try:
        files = sorted(folder.iterdir())
    except OSError:  # the folder does not exist, or is a file
        return []
    mutants = [path for path in files if _MUTANT.fullmatch(path.name)]
    return [*mutants, *(path for path in [folder / MANIFEST] if path.exists())]


# -- patches: RDF Patch, and SPARQL Update -----------------------------------------------------------------------------

# How many triples may describe a blank node: a larger limit only if a smaller one fails. Lists can be long.
_ENOUGH = (16, 64, 256)
# The number of triples to read to check that a description is unique. Many similar nodes would take too long.
_PATIENCE = 20_000


def rdf_patch(delta: Delta) -> str:
    """The change as RDF Patch: a line `D` for each removed triple and `A` for each added one, as in N-Quads.

    Blank nodes keep their labels from the seed graph's file. Those without a label there have the one that kgprobe
    assigns when it reads the file.
    """
    removed = [f"D {triple} ." for triple in delta.removed]
    added = [f"A {triple} ." for triple in delta.added]
    return "\n".join(["TX .", *removed, *added, "TC .", ""])


def sparql_update(delta: Delta, seed: Graph) -> str:
    """The change as a SPARQL Update request. `seed` is the graph that it applies to.

    A request cannot name a blank node. One that the change touches becomes a variable, and the WHERE identifies it by
    the triples around it in the seed graph; InputError if they match other blank nodes as well.
    """
    touched = [node for triple in (*delta.removed, *delta.added) for node in _blanks(triple) if seed.mentions(node)]
    described: dict[Triple, None] = {}
    known: set[BlankNode] = set()
    for node in dict.fromkeys(touched):
        if node not in known:
            around = _description(seed, node)
            known.update(other for triple in around for other in _blanks(triple))
            described.update(dict.fromkeys(around))
    verbs = ("DELETE", "INSERT") if known else ("DELETE DATA", "INSERT DATA")
    parts = [(verb, part) for verb, part in zip(verbs, (delta.removed, delta.added), strict=True) if part]
    names = _variables(known)
    requests = [f"{verb} {_braces(triples, names)}" for verb, triples in parts]
    if not known:
        return " ;\n".join(requests) + "\n"
    conditions = [f"FILTER(isBlank({variable}))" for variable in sorted(names.values())]
    return "\n".join([*requests, f"WHERE {_braces(described, names, conditions)}", ""])


def _description(seed: Graph, node: BlankNode) -> list[Triple]:
    """Enough triples around a blank node to identify it."""
    around: list[Triple] = []
    for most in _ENOUGH:
        before, around = around, _surroundings(seed, node, most)
        if len(around) == len(before):
            break  # no triples are left
        if _is_alone(seed, around):
            return around
    raise InputError(
        "a SPARQL Update cannot distinguish the blank nodes that this change affects",
        hint="write patches or whole graphs instead",
    )


def _is_alone(seed: Graph, described: list[Triple]) -> bool:
    """Whether these triples, with variables for their blank nodes, match nothing else. False if it takes too long."""
    try:
        return len(list(islice(images(described, seed, apart=False, most_steps=_PATIENCE), 2))) == 1
    except TooAlikeError:
        return False


def _surroundings(seed: Graph, node: BlankNode, most: int) -> list[Triple]:
    """Triples about a blank node and those connected to it, nearest first."""
    waiting = [node]
    triples: dict[Triple, None] = {}
    for known in waiting:
        for triple in (*seed.triples(None, None, known), *seed.triples(known)):
            if len(triples) == most:
                return list(triples)
            triples[triple] = None
            waiting += [other for other in _blanks(triple) if other not in waiting]
    return list(triples)


def _variables(nodes: Iterable[BlankNode]) -> dict[BlankNode, str]:
    """A variable for each blank node, named after it without the dots and hyphens that SPARQL does not allow."""
    names: dict[BlankNode, str] = {}
    taken = {node.value for node in nodes}
    for node in sorted(nodes, key=str):
        name = re.sub(r"\W", "_", node.value)
        while name != node.value and name in taken:
            name += "_"
        taken.add(name)
        names[node] = f"?{name}"
    return names


def _braces(triples: Iterable[Triple], names: Mapping[BlankNode, str], more: Iterable[str] = ()) -> str:
    """Triples between braces, with variables for the blank nodes that have one."""

    def text(term: object) -> str:
        return names.get(term, str(term)) if isinstance(term, BlankNode) else str(term)

    lines = [f"{text(t.subject)} {t.predicate} {text(t.object)} ." for t in triples]
    return "\n".join(["{", *(f"  {line}" for line in [*lines, *more]), "}"])


def _blanks(triple: Triple) -> list[BlankNode]:
    ends: tuple[Subject | Term | Triple, ...] = triple.subject, triple.object
    return [term for term in ends if isinstance(term, BlankNode)]
