"""`owl:imports`: a graph with the graphs it imports, from local folders and catalogs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree
from xml.parsers import expat

from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.formats import xml_guard
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.source import Source
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, BlankNode, NamedNode, Term, Triple, with_blanks
from kgprobe.wording import number_of

__all__ = ["Catalog", "Files", "Library", "imports_of", "names_of", "read_catalog", "united", "with_imports"]


class Files:
    """The files of this machine in their present state. A subclass can give the same paths different content."""

    def load(self, path: Path, **how: Any) -> Loaded | None:
        """The graph in a file, read with `load`; None if the file does not exist."""
        return load(path, **how) if path.exists() else None

    def catalog(self, path: Path) -> Catalog:
        """The catalog in a file."""
        return read_catalog(path)

    def below(self, folder: Path) -> list[Path]:
        """All files in a folder and its subfolders, sorted."""
        return [path for path in sorted(folder.rglob("*")) if path.is_file()]


# How many imports a warning names; an ontology can import hundreds.
_NAMED_IMPORTS = 3


@dataclass
class Library:
    """Where to look for imported documents: in catalogs, then in the files of some folders, then in other files."""

    catalogs: Sequence[Catalog] = ()
    folders: Sequence[Path] = ()
    others: Sequence[Path] = ()
    files: Files = field(default_factory=Files)
    found: dict[NamedNode, Path] = field(default_factory=dict)  # which file each document came from
    # The names of the ontologies in each file. Their graphs are not kept: they would fill the memory.
    _names: dict[Path, frozenset[Term]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in self.folders:
            if not folder.is_dir():
                raise InputError(f"{folder} is not a folder", hint="imports are in the files of folders")

    def find(self, iri: NamedNode) -> Loaded | None:
        """The document with this IRI or version IRI; None if it is not found."""
        for path, document in self._documents(iri):
            self.found[iri] = path
            return document
        return None

    def _documents(self, iri: NamedNode) -> Iterator[tuple[Path, Loaded]]:
        for catalog in self.catalogs:
            path = catalog.find(iri.value)
            document = None if path is None else self.files.load(path)
            if path is not None and document is not None:
                yield path, document
        for path in self._candidates(iri):
            if iri in self._names.get(path, {iri}):
                loaded = self._look_into(path)
                if loaded is not None and iri in self._names[path]:
                    yield path, loaded

    def _candidates(self, iri: NamedNode) -> Iterator[Path]:
        """All files of the folders, then the others; files with a matching name first."""
        wanted = iri.value.rstrip("/#").rpartition("/")[2].casefold().partition(".")[0]
        for files in ([path for folder in self.folders for path in self.files.below(folder)], self.others):
            yield from sorted(files, key=lambda path: path.name.casefold().partition(".")[0] != wanted)

    def _look_into(self, path: Path) -> Loaded | None:
        try:
            loaded = self.files.load(path)
        except KgprobeError:
            loaded = None  # a folder may hold anything
        self._names[path] = frozenset() if loaded is None else frozenset(names_of(loaded.graph))
        return loaded


def imports_of(graph: Graph) -> list[NamedNode]:
    """The IRIs that a graph imports, in a fixed order."""
    objects = {triple.object for triple in graph.triples(None, OWL.imports)}
    return sorted((term for term in objects if isinstance(term, NamedNode)), key=str)


def with_imports(loaded: Loaded, library: Library, *, strict: bool = False) -> Loaded:
    """The graph with all its direct and indirect imports. A missing import gives a note or, if strict, an error."""
    loaded_by_iri: dict[NamedNode, Loaded] = {}
    missing: dict[NamedNode, str] = {}
    pending = [(iri, loaded.name) for iri in imports_of(loaded.graph)]
    known = names_of(loaded.graph)
    while pending:
        iri, importer = pending.pop(0)
        if iri in loaded_by_iri or iri in missing or iri in known:
            continue
        document = library.find(iri)
        if document is None:
            missing[iri] = importer
            continue
        loaded_by_iri[iri] = document
        pending += [(inner, document.name) for inner in imports_of(document.graph)]
    if missing and strict:
        iri, importer = next(iter(missing.items()))
        raise InputError(
            f"imports {iri}, which was not found"
            + (f", and {len(missing) - 1} more like it" if len(missing) > 1 else ""),
            where=Position(importer),
            hint="name its folder with --imports, or a catalog with --catalog",
        )
    documents = {Path(document.name).resolve(): document for document in loaded_by_iri.values()}
    documents.pop(Path(loaded.name).resolve(), None)  # an import cycle found it under another name
    notes = [f"{document.name}: {note}" for document in documents.values() for note in document.notes]
    if missing:
        notes.append(_left_out(missing, loaded.name))
    graph = united([loaded, *documents.values()]) if documents else loaded.graph
    return Loaded(graph, loaded.format, loaded.name, (*loaded.notes, *notes))


def _left_out(missing: Mapping[NamedNode, str], name: str) -> str:
    """One line about the imports that were not found, however many there are."""
    named = [f"{iri}" if importer == name else f"{iri} through {importer}" for iri, importer in missing.items()]
    if len(named) == 1:
        return f"imports {named[0]}, which was not found and is left out"
    more = f" and {len(named) - _NAMED_IMPORTS} more" if len(named) > _NAMED_IMPORTS else ""
    shown = ", ".join(named[:_NAMED_IMPORTS])
    return f"{number_of(len(named), 'import')} were not found and are left out: {shown}{more}"


def united(documents: Iterable[Loaded]) -> Graph:
    """Merge graphs. Blank nodes of different files stay different, and the first file's prefixes take precedence."""
    taken: set[BlankNode] = set()
    prefixes: dict[str, str] = {}
    tags: dict[str, str] = {}
    parts: list[Iterable[Triple]] = []
    for number, document in enumerate(documents):
        graph = document.graph
        labels = {term for term in graph.terms() if isinstance(term, BlankNode)}
        names = {label: label for label in labels - taken}
        taken |= labels  # a new name must not be one that this file uses
        for label in sorted(labels - names.keys(), key=str):
            names[label] = _free(label, number, taken)
            taken.add(names[label])
        parts.append([with_blanks(triple, names.__getitem__) for triple in graph] if number else graph)
        prefixes = {**graph.spelling.prefixes, **prefixes}
        tags = {**graph.spelling.language_tags, **tags}
    return Graph(chain.from_iterable(parts), spelling=Spelling(prefixes, tags))


def _free(label: BlankNode, number: int, taken: set[BlankNode]) -> BlankNode:
    while label in taken:
        label = BlankNode(f"{label.value}i{number}")
    return label


def names_of(graph: Graph) -> set[Term]:
    """The IRIs of the ontologies in a graph, and of their versions."""
    names: set[Term] = set()
    rdf_type, version = graph.key(RDF.type), graph.key(OWL.versionIRI)
    for ontology in graph.subjects(rdf_type, graph.key(OWL.Ontology)):
        names.add(graph.term(ontology))
        names.update(map(graph.term, graph.objects(ontology, version)))
    return names


# -- OASIS XML catalogs ------------------------------------------------------------------------------------------------

_NAMESPACE = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
# A name, its start or its end, and the replacement. XML's system identifiers work in the same way.
_EXACT = {"uri": "name", "system": "systemId"}
_REWRITTEN = {"rewriteURI": "uriStartString", "rewriteSystem": "systemIdStartString"}
_SUFFIXES = {"uriSuffix": "uriSuffix", "systemSuffix": "systemIdSuffix"}


@dataclass(frozen=True)
class Catalog:
    """The entries of a catalog, and the catalogs to search if no entry matches."""

    exact: dict[str, Path]
    rewritten: dict[str, str]
    suffixes: dict[str, Path]
    following: tuple[Catalog, ...] = ()

    def find(self, iri: str) -> Path | None:
        """The file for an IRI; None if the catalog has no match."""
        if iri in self.exact:
            return self.exact[iri]
        starts = [start for start in self.rewritten if iri.startswith(start)]
        if starts:
            start = max(starts, key=len)
            return Path(self.rewritten[start] + unquote(iri.removeprefix(start)))
        ends = [end for end in self.suffixes if iri.endswith(end)]
        if ends:
            return self.suffixes[max(ends, key=len)]
        return next((place for place in (catalog.find(iri) for catalog in self.following) if place), None)


def read_catalog(path: Path, content_of: Callable[[Path], Path] = lambda path: path) -> Catalog:
    """Read a catalog file and the catalogs that it refers to. Each file is read once.

    `content_of` gives the path of a file's text, which may differ from the path of the file.
    """
    first, pending = _read_one(path, content_of(path))
    seen = {path.resolve()}
    following: list[Catalog] = []
    while pending:
        path = pending.pop(0)
        if path.resolve() not in seen:
            seen.add(path.resolve())
            catalog, further = _read_one(path, content_of(path))
            following.append(catalog)
            pending = further + pending
    return replace(first, following=tuple(following))


def _read_one(path: Path, content: Path) -> tuple[Catalog, list[Path]]:
    """The entries of one catalog file, and the catalogs that it refers to."""
    source = Source(content)
    with source.open() as stream:
        xml_guard.check(stream, source.name)
    try:
        root = ElementTree.fromstring(source.read())  # noqa: S314 - the guard has checked it
    except ElementTree.ParseError as problem:  # the guard does not look at namespaces
        line, column = problem.position
        message = f"not XML: {expat.ErrorString(problem.code)}"
        raise InputError(message, where=Position(source.name, line, column + 1)) from None
    if root.tag != f"{_NAMESPACE}catalog":
        raise InputError("this is not an OASIS XML catalog", where=Position(source.name))
    catalog = Catalog({}, {}, {})
    following: list[Path] = []
    for element, folder in _entries(root, path.resolve().parent):
        tag, attributes = element.tag.removeprefix(_NAMESPACE), element.attrib
        target = _local(attributes.get("uri") or attributes.get("rewritePrefix") or attributes.get("catalog"), folder)
        if target is None:
            continue  # remote, or malformed in a way that other tools also ignore
        if tag in _EXACT:
            catalog.exact.setdefault(attributes.get(_EXACT[tag], ""), Path(target))
        elif tag in _REWRITTEN:
            catalog.rewritten.setdefault(attributes.get(_REWRITTEN[tag], ""), target)
        elif tag in _SUFFIXES:
            catalog.suffixes.setdefault(attributes.get(_SUFFIXES[tag], ""), Path(target))
        elif tag == "nextCatalog":
            following.append(Path(target))
    return catalog, following


def _entries(root: ElementTree.Element, folder: Path) -> Iterator[tuple[ElementTree.Element, Path]]:
    """Each entry, and the folder for its relative file names; groups only set that folder."""
    pending = [(root, folder)]
    while pending:
        element, outer = pending.pop()
        inner = Path(_local(element.attrib.get(_BASE), outer) or outer)
        if element is root or element.tag == f"{_NAMESPACE}group":
            pending += [(child, inner) for child in reversed(element)]
        else:
            yield element, inner


def _local(reference: str | None, folder: Path) -> str | None:
    """A reference as a local path; None if it is not local. A trailing slash is kept."""
    if not reference:
        return None
    try:
        parts = urlsplit(reference)
    except ValueError:
        return None
    if "\0" in unquote(parts.path):
        return None
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    if parts.scheme or parts.netloc:
        return None
    joined = str(folder / unquote(parts.path))
    return joined + "/" if reference.endswith("/") else joined
