"""SPARQL tests: query files, one test each, and W3C test manifests, one test for each entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.given_files import LARGEST_TEXT, exact_text
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Namespace, Term
from kgprobe.selection.discovery.files import LanguageFiles, TestFile
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime
from kgprobe.selection.tests import Language, Test

__all__ = ["SUFFIXES"]

SUFFIXES: Final = (".rq", ".sparql")


class _QueryFiles:
    """Reads query files, one test each. A file that a manifest names belongs to the test of the manifest."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._found: list[TestFile] = []

    def tests(self, file: TestFile) -> Iterable[Test]:
        self._found.append(file)
        return ()

    def finish(self) -> Iterable[Test]:
        claimed, search = self._search.claimed, self._search
        for found in self._found:
            if not (claimed and found.file.resolve() in claimed):
                yield _query_test(found.name, SPARQL, found.file, search, search.neighbours.expected(found))


def _query_test(name: str, language: Language, file: Path, search: Search, expected: Path | None) -> Test:
    """A test with the query of a file. If the file cannot be read, `unseen` of the test says why."""
    try:
        text = exact_text(file)
    except InputError as error:
        what = "it" if language == SPARQL else "its query"
        reason = f"cannot see what this test uses: {what} {error.message}"
        return Test(name, language, unseen=(reason,), file=file, expected=expected)
    query = text.removeprefix("\ufeff")
    reading = search.queries.read(query)
    return Test(
        name,
        language,
        uses=reading.uses,
        unseen=reading.unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file, len(text) - len(query)),
        patterns=reading.patterns,
        queries=reading.queries,
        regime=stated_regime(text, name, search.note),
        expected=expected,
    )


# -- W3C test manifests: one test for each entry, with the query that the entry names ----------------------------------

_MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
_QT: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
_HEAD: Final = 1 << 16


@dataclass(frozen=True)
class _Document:
    """A manifest: its graph, its file, the name of the file, and the node of the manifest in the graph."""

    graph: Graph
    file: Path
    name: str
    node: Term

    def values(self, subject: Term, predicate: NamedNode) -> list[Term]:
        graph = self.graph
        return [graph.term(key) for key in graph.objects(graph.key(subject), graph.key(predicate))]

    def value(self, subject: Term, predicate: NamedNode) -> Term | None:
        return next(iter(self.values(subject, predicate)), None)

    def members(self, subject: Term, predicate: NamedNode) -> Iterator[Term]:
        """The objects, and the members of those that are lists. BrokenListError if a list is not well-formed."""
        for value in self.values(subject, predicate):
            is_list = value == RDF.nil or self.value(value, RDF.first) is not None
            yield from read_list(self.graph, value).members if is_list else (value,)


def _is_manifest(file: TestFile, _: Search) -> bool:
    """Whether the head of a Turtle file has the namespace of manifests."""
    if file.suffix != ".ttl":
        return False
    try:
        with open(file.path, "rb") as stream:  # noqa: PTH123 - there are many, and this is faster
            return _MF.iri.encode() in stream.read(_HEAD)
    except OSError:
        return False


class _Manifests:
    """Reads manifests, and the manifests that they include."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._allowed = [folder.resolve() for folder in (search.root, *search.folders)]
        self._seen: set[Path] = set()

    def tests(self, found: TestFile) -> Iterator[Test]:
        """The tests of a manifest; none if another manifest has already included it."""
        pending = [(found.file.resolve(), found.name)]
        while pending:
            file, name = pending.pop()
            if file in self._seen:
                continue
            self._seen.add(file)
            for document in self._documents(file, name):
                try:
                    included = [self._local(document, part) for part in document.members(document.node, _MF.include)]
                    entries = list(document.members(document.node, _MF.entries))
                except BrokenListError as error:
                    self._search.note(f"{name}: {error}")
                    continue
                pending += [(path, self._shown(document, path)) for path in reversed(included) if path is not None]
                for number, entry in enumerate(entries, 1):
                    yield self._test(document, entry, number)

    def finish(self) -> Iterable[Test]:
        return ()

    def _documents(self, file: Path, name: str) -> list[_Document]:
        """The manifests in a file."""
        try:
            if file.stat().st_size > LARGEST_TEXT:
                raise InputError(f"is larger than {LARGEST_TEXT >> 20} MB")
            graph = load(file, format_name="turtle", base=file.as_uri()).graph
        except OSError as error:
            self._search.note(f"{name}: cannot be read: {error.strerror}")
            return []
        except InputError as error:
            line = f":{error.where.line}" if error.where and error.where.line else ""
            self._search.note(f"{name}{line}: this manifest cannot be read: {error.message}")
            return []
        typed = [graph.term(key) for key in graph.subjects(graph.key(RDF.type), graph.key(_MF.Manifest))]
        listing = [graph.term(s) for s, _, _ in graph.rows(None, graph.key(_MF.entries), None)]
        return [_Document(graph, file, name, node) for node in dict.fromkeys([*typed, *listing])]

    def _test(self, document: _Document, entry: Term, number: int) -> Test:
        name = _entry_name(document, entry, number)
        action = document.value(entry, _MF.action)
        query = None if action is None else document.value(action, _QT.query)
        if query is None and isinstance(action, NamedNode) and action.value.endswith(SUFFIXES):
            query = action
        results = document.value(entry, _MF.result)
        expected = None if results is None else self._local(document, results)
        parts = tuple(_files_of(document, entry))
        if query is None:
            reason = f"{BLIND}: its entry names no query"
            return Test(name, MANIFEST, unseen=(reason,), file=document.file, expected=expected, parts=parts)
        file = self._local(document, query)
        if file is None:
            reason = f"{BLIND}: its query is not a local file: {query}"
            return Test(name, MANIFEST, unseen=(reason,), file=document.file, expected=expected, parts=parts)
        self._search.claimed.add(file)
        return replace(_query_test(name, MANIFEST, file, self._search, expected), parts=parts)

    def _local(self, document: _Document, term: Term) -> Path | None:
        """The file of an IRI, if it exists and is below a folder that the user named."""
        if not isinstance(term, NamedNode):
            return None
        path = _named_file(document, term)
        if path is None:
            return None
        try:
            path = path.resolve()
            is_here = path.is_file()
        except (OSError, ValueError):
            return None
        return path if is_here and any(path.is_relative_to(folder) for folder in self._allowed) else None

    def _shown(self, document: _Document, path: Path) -> str:
        """A path in the style of the manifest's name, if both are below the same folder."""
        folder, slash, _ = document.name.rpartition("/")
        if path.is_relative_to(document.file.parent):
            return f"{folder}{slash}{path.relative_to(document.file.parent).as_posix()}"
        root = self._search.root.resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _entry_name(document: _Document, entry: Term, number: int) -> str:
    """The IRI of an entry, or `manifest.ttl#name` if its IRI is relative to the manifest or missing."""
    if isinstance(entry, NamedNode):
        own = document.file.as_uri()
        if not entry.value.startswith(own):
            return entry.value
        return document.name + unquote(entry.value[len(own) :])
    label = document.value(entry, _MF.name)
    return f"{document.name}#{number if label is None else label.value}"


def _named_file(document: _Document, term: object) -> Path | None:
    """The file of an IRI, whether it exists or not."""
    if not isinstance(term, NamedNode):
        return None
    return _file_path(term.value) or _beside(document, term.value)


def _files_of(document: _Document, entry: Term) -> Iterator[Path]:
    """The manifest, and all files that an entry names: its query, its data, and its results."""
    yield document.file
    pending, seen = [entry], {entry}
    while pending:
        node = pending.pop()
        for triple in document.graph.triples(node):
            value = triple.object
            path = None if value in seen or triple.predicate == RDF.type else _named_file(document, value)
            if path is not None and path != document.file:
                yield path
            if isinstance(value, BlankNode) and value not in seen:
                seen.add(value)
                pending.append(value)


def _file_path(iri: str) -> Path | None:
    parts = urlsplit(iri)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _beside(document: _Document, iri: str) -> Path | None:
    """A file beside the manifest, if its IRI and that of the manifest have the same base."""
    if not isinstance(document.node, NamedNode):
        return None
    base = document.node.value.partition("#")[0].rpartition("/")[0] + "/"
    return document.file.parent / unquote(iri[len(base) :]) if iri.startswith(base) and len(iri) > len(base) else None


SPARQL = Language("sparql", "a SPARQL query", is_query=True)
MANIFEST = Language("manifest", "an entry of a manifest", is_query=True)
LANGUAGES = (
    LanguageFiles(SPARQL, _QueryFiles, SUFFIXES),
    LanguageFiles(MANIFEST, _Manifests, claims=_is_manifest),
)
