"""The ontologies of the documents that an editor has open, loaded once, and again when a file changes.

A document names its ontologies in comments, `# kgprobe: ontology FILE`, relative to its own folder. Without such a
comment, those that the client names apply, relative to the client's root folder.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kgprobe.errors import KgprobeError
from kgprobe.lsp.variable_classes import VariableClass, classes_of
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnostics import Report
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema, load_schema
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import Document

_MOST_OPEN = 4


@dataclass(frozen=True)
class Session:
    """Prepared ontologies, or the error that keeps them from being used."""

    files: tuple[Path, ...]
    checker: Checker | None = None
    error: KgprobeError | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def schema(self) -> Schema | None:
        return None if self.checker is None else self.checker.schema

    def check(self, document: Document, query: QueryText, *, has_fixes: bool) -> Report:
        """The diagnostics of a text that somebody may still be typing. A reasoner answers one question at a time."""
        if self.checker is None:
            return Report()
        with self._lock:
            return self.checker.check_document(document, query, has_fixes=has_fixes)

    @cached_property
    def _finder(self) -> ClashFinder | None:
        return None if self.checker is None else ClashFinder(self.checker.schema, self.checker.engines)

    def classes(self, variable: Variable, document: Document, offset: int) -> tuple[VariableClass, ...]:
        """The classes of a variable at an offset that follow from the query and the ontology; most specific first."""
        if self._finder is None:
            return ()
        with self._lock:
            return classes_of(variable, document, offset, self._finder)

    def close(self) -> None:
        """End the processes of the reasoners."""
        if self.checker is not None:
            with self._lock:
                self.checker.close()


class Ontologies:
    """The sessions that were used last, by the files and their states."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[object, ...], Session] = OrderedDict()
        self._lock = threading.Lock()

    def session(self, files: Sequence[Path]) -> Session | None:
        """The session for some files; None without files. The first call for a file takes as long as reading it."""
        if not files:
            return None
        key = tuple((file, *_state(file)) for file in files)
        with self._lock:
            found = self._sessions.get(key)
            if found is None:
                found = self._sessions[key] = _opened(tuple(files))
                while len(self._sessions) > _MOST_OPEN:
                    _, oldest = self._sessions.popitem(last=False)
                    oldest.close()
            self._sessions.move_to_end(key)
            return found

    def close(self) -> None:
        """Close all sessions."""
        with self._lock:
            for session in self._sessions.values():
                session.close()
            self._sessions.clear()


def _state(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except (OSError, ValueError):  # no file can have this name
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _opened(files: tuple[Path, ...]) -> Session:
    checker: Checker | None = None
    try:
        checker = Checker(load_schema(files))
        checker.require_consistency()
    except KgprobeError as error:
        if checker is not None:
            checker.close()
        return Session(files, error=error)
    return Session(files, checker)
