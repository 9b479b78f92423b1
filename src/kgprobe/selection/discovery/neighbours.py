"""Files that lie beside a test: its expected results."""

from __future__ import annotations

from pathlib import Path

from kgprobe.selection.discovery.files import TestFile

__all__ = ["Neighbours"]

_RESULTS = (".srx", ".srj", ".csv", ".tsv", ".ttl", ".json", ".txt")
_FOLDER = "expected"


class Neighbours:
    """Finds expected results, with one look into each folder of them."""

    def __init__(self) -> None:
        self._listed: dict[str, dict[str, str]] = {}

    def expected(self, test: TestFile) -> Path | None:
        """The file with the expected results of a test: of the same name, beside it or in `expected`."""
        stem = test.base.rpartition(".")[0]
        for suffix in _RESULTS:
            if stem + suffix in test.folder.files:
                return test.file.with_name(stem + suffix)
        if _FOLDER not in test.folder.folders:
            return None
        name = self._stems(test.folder.path).get(stem)
        return None if name is None else test.file.parent / _FOLDER / name

    def is_expected(self, file: TestFile) -> bool:
        """Whether a file holds the expected results of a test above it, and so is none itself."""
        if not file.folder.path.endswith(_FOLDER):
            return False
        path = file.file
        return path.parent.name == _FOLDER and any(
            (path.parent.parent / (path.stem + suffix)).is_file() for suffix in (".rq", ".sparql", ".sql")
        )

    def _stems(self, folder: str) -> dict[str, str]:
        if folder not in self._listed:
            try:
                names = sorted(each.name for each in (Path(folder) / _FOLDER).iterdir() if each.is_file())
            except OSError:
                names = []
            self._listed[folder] = {name.partition(".")[0]: name for name in reversed(names)}
        return self._listed[folder]
