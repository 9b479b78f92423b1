"""Two versions of an ontology, which may consist of several files, and the other files that changed between them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Files, Library, united, with_imports
from kgprobe.git.repository import Repository
from kgprobe.git.versions import FilesAt, files_at, graphs_among
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.selection.discovery.files import text_of, walk
from kgprobe.sparql.comments import differ_in_comments_only

__all__ = ["Edits", "OntologyVersions", "ontology_between", "ontology_since"]

_QUERIES = (".rq", ".sparql")
_CATALOG = "catalog-v001.xml"  # the import catalog that Protégé writes


@dataclass(frozen=True)
class OntologyVersions:
    """Two versions, the other files that changed between them (if git knows), and warnings for the user."""

    versions: Versions
    edits: Edits | None = None
    warnings: tuple[str, ...] = ()


def ontology_between(old: Path, new: Path, folders: Sequence[Path], catalogs: Sequence[Path]) -> OntologyVersions:
    """Two versions in two files."""
    places = _Places(folders, catalogs)
    both = [with_imports(load(path), places.library([path], Files())) for path in (old, new)]
    return OntologyVersions(aligned(both[0].graph, both[1].graph), warnings=_notes(both))


def ontology_since(
    revision: str, files: Sequence[Path], root: Path, folders: Sequence[Path], catalogs: Sequence[Path]
) -> OntologyVersions:
    """The ontology at a revision, and now. Without `files`, it consists of the graph files that have changed.

    Imports are searched in folders and catalogs; by default, in the folder of each file and in the catalog there.
    """
    with files_at(files[0] if files else root, revision) as then:
        changed = graphs_among(then.repository.changes(then.commit))
        ontology = list(files) or [path for path in changed if path.is_relative_to(root.resolve())]
        places = _Places(folders, catalogs, [path for path in changed if path not in ontology])
        libraries = places.library(ontology, then), places.library(ontology, Files())
        before = [with_imports(document, libraries[0]) for document in _existing(ontology, then)]
        after = [with_imports(load(path), libraries[1]) for path in ontology if path.exists()]
        for path in files:
            if not path.exists() and then.place(path) is None:
                raise InputError(f"exists neither now nor at {revision}", where=Position(str(path)))
    imported = {path for library in libraries for path in library.found.values()}
    edits = Edits(then.repository, then.commit, revision, {*ontology, *imported, *catalogs})
    warnings = [*_notes([*before, *after]), *then.warnings(imported)]
    if not _is_around(then.repository, root):
        warnings.append(f"{root} is not in the ontology's repository, so changed tests are not selected")
        return OntologyVersions(aligned(united(before), united(after)), None, tuple(warnings))
    return OntologyVersions(aligned(united(before), united(after)), edits, tuple(warnings))


def _is_around(repository: Repository, root: Path) -> bool:
    try:
        return Repository.around(root) == repository
    except InputError:  # not in a repository
        return False


def _existing(ontology: Iterable[Path], then: FilesAt) -> Iterator[Loaded]:
    for path in ontology:
        document = then.load_moved(path)
        if document is not None:
            yield document


@dataclass(frozen=True)
class _Places:
    """Where imports are searched: by default, among the graphs in the folders of the ontology."""

    folders: Sequence[Path]
    catalogs: Sequence[Path]
    others: Sequence[Path] = ()

    def library(self, ontology: Iterable[Path], files: Files) -> Library:
        if self.folders or self.catalogs:
            return Library([files.catalog(path) for path in self.catalogs], self.folders, self.others, files)
        homes = dict.fromkeys(path.parent for path in ontology)
        catalogs = [files.catalog(home / _CATALOG) for home in homes if (home / _CATALOG).is_file()]
        near = [graph for home in homes for graph in graphs_among(_all_below(home, files))]
        return Library(catalogs, (), [*near, *self.others], files)


def _all_below(home: Path, files: Files) -> Iterable[Path]:
    if isinstance(files, FilesAt):
        return files.below(home)
    # `walk` leaves out folders of tools: this may be the root of a project, with a virtual environment in it.
    return [test_file.file for test_file in walk([home], home, lambda _: None)] if home.is_dir() else []


def _notes(documents: Iterable[Loaded]) -> tuple[str, ...]:
    return tuple(f"{document.name}: {note}" for document in documents for note in document.notes)


@dataclass(frozen=True)
class Edits:
    """The changes in a repository since a revision, except for the files of the ontology.

    Uncommitted changes and untracked files count, too.
    """

    repository: Repository
    commit: str
    revision: str
    ontology: Collection[Path] = ()

    @cached_property
    def existed(self) -> dict[Path, bool]:
        """The files that have changed, and whether they existed at the revision."""
        ontology = {path.resolve() for path in self.ontology}
        found: dict[Path, bool] = {}
        for path, was_there in self.repository.changes(self.commit).items():
            # A submodule at a different commit is a folder: any file in it may have changed.
            inner = [place for place in path.rglob("*") if place.is_file()] if path.is_dir() else [path]
            found.update((place, was_there) for place in inner if place.resolve() not in ontology)
        return found

    @cached_property
    def _edited_code(self) -> dict[Path, bool]:
        return {}

    def has_changed(self, path: Path) -> bool:
        """Whether a file has changed. In Python and SPARQL, comments and layout do not count.

        A comment that states the regime of a query counts.
        """
        if path not in self.existed:
            return False
        if path.suffix in _QUERIES:
            before, after = self._old_text(path), text_of(path)
            return before is None or after is None or not differ_in_comments_only(before, after)
        if path.suffix != ".py":
            return True
        if path not in self._edited_code:
            old, new = self.old_code(path), parsed(text_of(path))
            self._edited_code[path] = old is None or new is None or ast.dump(old) != ast.dump(new)
        return self._edited_code[path]

    def old_code(self, path: Path) -> ast.Module | None:
        """The syntax tree of a Python file at the revision; None if it did not exist or was not valid Python."""
        text = self._old_text(path)
        return None if text is None else parsed(text)

    def _old_text(self, path: Path) -> str | None:
        name = self.repository.relative(path)
        if name is None or not self.existed.get(path, True):
            return None
        try:
            return self.repository.content(self.commit, name).decode()
        except (InputError, UnicodeDecodeError):
            return None

    def how(self, path: Path) -> str:
        """The kind of change of a file."""
        if not self.existed.get(path, True):
            return "is new"
        return "was edited" if path.exists() else "was removed"

    def name(self, path: Path) -> str:
        """The path of a file in the repository."""
        return self.repository.relative(path) or str(path)


def parsed(text: str | None) -> ast.Module | None:
    """The syntax tree of a text; None if it is not valid Python."""
    if text is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in the user's strings
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
