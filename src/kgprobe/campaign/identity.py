"""What the results of a campaign depend on. If any of it changes, earlier results are those of another campaign."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from kgprobe.campaign.source import SourceKind
from kgprobe.config.preparation import Preparation
from kgprobe.config.profile import Profile
from kgprobe.graph.graph import Graph

__all__ = ["digest_of_graph", "digest_of_text", "identity_of"]


def identity_of(preparation: Preparation, kind: SourceKind) -> dict[str, str]:
    """Each part by a name that its user knows, with a digest of its content."""
    profile = preparation.profile
    parts = {
        "[mask]": repr(profile.mask),
        "[pins]": repr(profile.pins),
        "[[systems]]": repr(profile.systems),
        "[oracle]": repr(profile.oracle),
    }
    identity = {name: digest_of_text(text) for name, text in parts.items()}
    identity |= {str(path): _digest(path.read_bytes()) for path in _files(profile)}
    return kind.identity(preparation) | identity


def _files(profile: Profile) -> Iterator[Path]:
    """The files that are read when cases are judged, and those of the systems themselves that we can know of."""
    yield from (*profile.mask.shapes, *profile.mask.queries, *profile.pins.files, *profile.oracle.queries)
    if profile.oracle.expected is not None:
        yield profile.oracle.expected
    if profile.oracle.python is not None:
        yield profile.oracle.python.file
    for system in profile.systems:
        yield from system.queries
        named = [*system.command, (system.function or "").rpartition(":")[0]]
        yield from (profile.folder / name for name in named if _is_file(profile.folder / name))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def digest_of_text(text: str) -> str:
    """A short digest."""
    return _digest(text.encode())


def digest_of_graph(graph: Graph) -> str:
    """A digest of all triples in their order, which mutants depend on."""
    digest = hashlib.sha256()
    for triple in graph:
        digest.update(str(triple).encode())
    return digest.hexdigest()[:16]
