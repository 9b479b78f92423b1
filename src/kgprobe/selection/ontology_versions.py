"""Two versions of an ontology, which may consist of several files, with their imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.git.repository import Repository
from kgprobe.git.versions import FilesAt, files_at, graphs_among
from kgprobe.graph.diff import Versions, aligned
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.imports import Files, Library, united, with_imports
from kgprobe.selection.changed_tests.edits import Edits
from kgprobe.selection.discovery.files import walk

__all__ = ["OntologyVersions", "ontology_between", "ontology_since"]

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
        ontology = list(files) or [each for each in changed if each.is_relative_to(root.resolve())]
        places = _Places(folders, catalogs, [each for each in changed if each not in ontology])
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
    return [found.file for found in walk([home], home, lambda _: None)] if home.is_dir() else []


def _notes(documents: Iterable[Loaded]) -> tuple[str, ...]:
    return tuple(f"{document.name}: {note}" for document in documents for note in document.notes)
