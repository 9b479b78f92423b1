"""The real graphs next to the project in ../shared/data; tests that need them are skipped if they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
_SMALL = 20_000  # bytes
REASON = "needs the real graphs of ../shared/data, which are no part of the project"

needs_shared_data = pytest.mark.skipif(not _FOLDER.is_dir(), reason=REASON)


def shared(path: str) -> Path:
    """A file or folder below ../shared/data."""
    return _FOLDER / path


def graph_files() -> list[str]:
    """Every file there that contains a graph, by its path below the folder; empty if the folder is absent."""
    kinds = {".ttl", ".owl", ".gz"}
    return sorted(str(f.relative_to(_FOLDER)) for f in _FOLDER.rglob("*") if f.is_file() and f.suffix in kinds)


def thinned(names: list[str]) -> list[object]:
    """Parameters for a test over real graphs: some of them in every run, and all of them with `--thorough`.

    Every run has the small graphs, which cover all kinds, and one in eight of the others.
    """
    small = [name for name in names if _size(name) <= _SMALL]
    others = [name for name in names if name not in small]
    always = {*small[::3], *others[::8]}
    return [pytest.param(name, marks=() if name in always else pytest.mark.thorough) for name in names]


def _size(name: str) -> int:
    return shared(name).stat().st_size if shared(name).exists() else 0
