"""OASIS XML catalogs, as Protégé and ROBOT use them: which file holds the document with an IRI. Never a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree
from xml.parsers import expat

from kgprobe.errors import InputError, Position
from kgprobe.graph.formats import xml_guard
from kgprobe.graph.formats.source import Source

__all__ = ["Catalog", "read_catalog"]

_NAMESPACE = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
# A name, the start of one, or its end; and what stands for it. XML's own system identifiers work in the same way.
_EXACT = {"uri": "name", "system": "systemId"}
_REWRITTEN = {"rewriteURI": "uriStartString", "rewriteSystem": "systemIdStartString"}
_SUFFIXES = {"uriSuffix": "uriSuffix", "systemSuffix": "systemIdSuffix"}


@dataclass(frozen=True)
class Catalog:
    """The entries of a catalog, and the catalogs to ask when none of them fits."""

    exact: dict[str, Path]
    rewritten: dict[str, str]
    suffixes: dict[str, Path]
    following: tuple[Catalog, ...] = ()

    def find(self, iri: str) -> Path | None:
        """The file for an IRI; None if the catalog knows none."""
        if iri in self.exact:
            return self.exact[iri]
        starts = [start for start in self.rewritten if iri.startswith(start)]
        if starts:
            start = max(starts, key=len)
            return Path(self.rewritten[start] + unquote(iri.removeprefix(start)))
        ends = [end for end in self.suffixes if iri.endswith(end)]
        if ends:
            return self.suffixes[max(ends, key=len)]
        return next((found for found in (catalog.find(iri) for catalog in self.following) if found), None)


def read_catalog(path: Path, content_of: Callable[[Path], Path] = lambda path: path) -> Catalog:
    """Read a catalog file, and those that it refers to, each once however often it is referred to.

    `content_of` says where the text of a file is, if not in the file itself.
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
        root = ElementTree.fromstring(source.read())  # noqa: S314 - the guard has seen it
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
            continue  # it is on a network, or malformed in a way that other tools pass over too
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
    """Each entry and the folder that its file names are relative to; groups only set that folder."""
    pending = [(root, folder)]
    while pending:
        element, outer = pending.pop()
        inner = Path(_local(element.attrib.get(_BASE), outer) or outer)
        if element is root or element.tag == f"{_NAMESPACE}group":
            pending += [(child, inner) for child in reversed(element)]
        else:
            yield element, inner


def _local(reference: str | None, folder: Path) -> str | None:
    """A reference as a path on this machine; None if it is somewhere else. A slash at its end is kept."""
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
