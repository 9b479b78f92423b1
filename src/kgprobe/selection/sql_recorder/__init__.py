"""The SQL that tests run, recorded by a cursor that stands between them and their database.

`--record` puts this folder on the path of tests, so that their interpreter loads `sitecustomize` from it. The lines
that it writes for one test become one entry of the record, in the format that `discovery.declared` reads.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from kgprobe.errors import InputError
from kgprobe.given_files import read_bytes

_LARGEST = 1 << 26
_MOST_STATEMENTS = 10_000
_FOLDER = Path(__file__).parent
# They read nothing, or only what other statements of the test have written.
_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "START TRANSACTION", "PRAGMA", "SET ", "END")


class SqlRecorder:
    """Records the SQL of tests while it is open. Each test gets its own file."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="kgprobe-")
        self._files: dict[str, Path] = {}

    def __enter__(self) -> SqlRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def environment(self, test: str) -> dict[str, str]:
        """The environment variables that make an interpreter record what it runs for a test."""
        file = self._files.setdefault(test, Path(self._folder.name) / str(len(self._files)))
        path = os.environ.get("PYTHONPATH")
        return {
            "KGPROBE_SQL_RECORD": str(file),
            "PYTHONPATH": f"{_FOLDER}{os.pathsep}{path}" if path else str(_FOLDER),
        }

    def entry(self, test: str, *, has_passed: bool) -> dict[str, object] | None:
        """The entry of a test for the record; None if it ran no SQL that was seen.

        It is complete if the test came to its end, and did nothing that cannot be recorded.
        """
        statements: dict[str, None] = {}
        unseen: dict[str, None] = {}
        running: set[int] = set()
        for kind, value in self._lines(test, unseen):
            match kind, value:
                case "start", int():
                    running.add(value)
                case "end", int():
                    running.discard(value)
                case "sql", str() if not _is_control(value.strip().upper()):
                    statements[value.strip()] = None
                case "unseen", str():
                    unseen[value] = None
        if not statements:
            return None
        if len(statements) > _MOST_STATEMENTS:
            unseen[f"it ran more than {_MOST_STATEMENTS:,} statements"] = None
        if running or not has_passed:
            unseen["it did not come to its end when it was recorded"] = None
        found: dict[str, object] = {"test": test, "sql": list(statements)[:_MOST_STATEMENTS]}
        return {**found, "unseen": list(unseen)} if unseen else {**found, "complete": True}

    def _lines(self, test: str, unseen: dict[str, None]) -> Iterator[tuple[object, object]]:
        file = self._files.get(test)
        if file is None or not file.exists():
            return
        try:
            lines = read_bytes(file, _LARGEST).decode().splitlines()
        except (InputError, UnicodeDecodeError):
            unseen["its record is too large, or damaged"] = None
            return
        for line in lines:
            try:
                kind, value = json.loads(line)
            except (ValueError, TypeError):
                unseen["its record is damaged"] = None
            else:
                yield kind, value


def _is_control(statement: str) -> bool:
    return statement.startswith(_CONTROL) and "SELECT" not in statement
