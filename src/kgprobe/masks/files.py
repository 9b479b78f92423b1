"""Checks from files: what a file demands of a graph depends on what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kgprobe.graph.files import load
from kgprobe.masks.ask import read_query
from kgprobe.masks.mask import DEFAULT_SECONDS, Check
from kgprobe.masks.pins import PinnedTriples
from kgprobe.masks.shacl import DEFAULT_ENGINE, read_shapes

__all__ = ["read_check", "read_pins"]

_QUERIES = frozenset({".rq", ".sparql"})


def read_check(
    path: str | Path,
    *,
    engine: str = DEFAULT_ENGINE,
    prefixes: Mapping[str, str] | None = None,
    seconds: float | None = DEFAULT_SECONDS,
) -> Check:
    """The check in a file: an ASK query if its name ends with .rq or .sparql, else SHACL shapes.

    `prefixes` are those that a query may use beside its own, and `seconds` is how long the check may take for a graph.
    """
    if Path(path).suffix.lower() in _QUERIES:
        return read_query(path, prefixes, seconds=seconds)
    return read_shapes(path, engine=engine, seconds=seconds)


def read_pins(path: str | Path) -> PinnedTriples:
    """The check that all triples of a file are there."""
    loaded = load(path)
    return PinnedTriples(loaded.graph, loaded.name)
