"""Digests of everything that the results of a campaign depend on. If one changes, it is another campaign."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from kgprobe.campaign.source import PreparedSources
from kgprobe.config.profile import Profile
from kgprobe.config.tables import files_of
from kgprobe.graph.graph import Graph

__all__ = ["digest_of_file", "digest_of_graph", "digest_of_text", "identity_of"]


def identity_of(profile: Profile, sources: PreparedSources) -> dict[str, str]:
    """A digest of each part, by a name that the user knows."""
    parts = {
        "[mask]": repr(profile.mask),
        "[pins]": repr(profile.pins),
        "[[systems]]": repr(profile.systems),
        "[oracle]": repr(profile.oracle),
    }
    identity = {name: digest_of_text(text) for name, text in parts.items()}
    identity |= {str(path): digest_of_file(path) for path in _files(profile)}
    return sources.identity() | identity


def _files(profile: Profile) -> Iterator[Path]:
    """The files that are read when cases are judged, and the files of the systems themselves, if they are known."""
    for table in (profile.mask, profile.pins, profile.oracle):
        yield from files_of(table)
    for system in profile.systems:
        yield from files_of(system)
        yield from system.files(profile.folder)


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def digest_of_file(path: Path) -> str:
    """A digest of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


def digest_of_text(text: str) -> str:
    """A short digest."""
    return _digest(text.encode())


def digest_of_graph(graph: Graph) -> str:
    """A digest of all triples in their order. Mutants depend on the order, so `GraphInput.digest` would not do."""
    digest = hashlib.sha256()
    for triple in graph:
        digest.update(str(triple).encode())
    return digest.hexdigest()[:16]
