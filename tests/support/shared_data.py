"""The real graphs that lie beside the project in ../shared/data; tests that need them are skipped without."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
REASON = "needs the real graphs of ../shared/data, which are no part of the project"

needs_shared_data = pytest.mark.skipif(not _FOLDER.is_dir(), reason=REASON)


def shared(path: str) -> Path:
    """A file or folder below ../shared/data."""
    return _FOLDER / path


def graph_files() -> list[str]:
    """Every file there that holds a graph, by its path below the folder; empty where the folder is absent."""
    kinds = {".ttl", ".owl", ".gz"}
    return sorted(str(f.relative_to(_FOLDER)) for f in _FOLDER.rglob("*") if f.is_file() and f.suffix in kinds)
