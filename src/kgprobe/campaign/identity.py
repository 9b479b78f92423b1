"""What the results of a campaign depend on. If any of it changes, earlier results are those of another campaign."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path

from kgprobe.config.preparation import Preparation
from kgprobe.config.profile import Profile
from kgprobe.config.tables import files_of
from kgprobe.graph.graph import Graph

__all__ = ["identity_of"]


def identity_of(preparation: Preparation) -> dict[str, str]:
    """Each part by a name that its user knows, with a digest of what it says."""
    profile = preparation.profile
    # More mutants of the same kind are a longer campaign, not another one.
    mutation = dataclasses.replace(profile.mutation, mutants=0)
    parts: dict[str, str] = {
        "[mutation]": repr(mutation),
        "[mask]": repr(profile.mask),
        "[pins]": repr(profile.pins),
        "[[systems]]": repr(profile.systems),
        "[oracle]": repr(profile.oracle),
    }
    for weighted in preparation.operators:
        parts[weighted.operator.description.name] = f"{weighted.weight} {weighted.operator.source}"
    identity = {name: _digest(text.encode()) for name, text in parts.items()}
    identity |= {str(path): _digest(path.read_bytes()) for path in _files(profile)}
    # A seed graph is its file and all that it imports.
    return identity | {str(seed.path): _content(seed.graph) for seed in preparation.seeds}


def _files(profile: Profile) -> Iterator[Path]:
    """The files that are read when cases are judged, and those of the systems themselves that we can know of."""
    for table in (profile.mask, profile.pins, profile.oracle):
        yield from files_of(table)
    for system in profile.systems:
        yield from files_of(system)
        yield from system.files(profile.folder)


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def _content(graph: Graph) -> str:
    digest = hashlib.sha256()
    for triple in graph:
        digest.update(str(triple).encode())
    return digest.hexdigest()[:16]
