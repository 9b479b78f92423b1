"""What the results of a campaign depend on: its sources, its profile, and the files that they name.

If a part of it changes, it is another campaign. The folder that kgprobe runs in is no part: files are named
relative to the profile.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.config.tables import files_of
from kgprobe.config.toml import relative
from kgprobe.rdf.graph import Graph

if TYPE_CHECKING:
    from kgprobe.campaign.source import PreparedSources
    from kgprobe.config.profile import Profile

__all__ = [
    "Identity",
    "digest_of_file",
    "digest_of_graph",
    "digest_of_settings",
    "digest_of_text",
    "digests_of_files",
    "identity_of",
    "judging_files",
]

_VERDICTS = {"[[systems]]", "[oracle]"}


@dataclass(frozen=True)
class Identity:
    """A digest for each part that the results of a campaign depend on, by a name that the user knows.

    `of_cases` are the names of the parts that decide which cases there are. All others only decide the verdicts.
    """

    parts: Mapping[str, str]
    of_cases: Collection[str]

    def changed_since(self, before: Mapping[str, str]) -> list[str]:
        """The parts that differ from an earlier identity."""
        changed = [part for part in self.parts if before.get(part) != self.parts[part]]
        return changed + [part for part in before if part not in self.parts]

    def has_same_cases(self, before: Mapping[str, str]) -> bool:
        """Whether a campaign with this earlier identity has the same cases.

        A part that is gone belonged to a system or an oracle if their tables have changed, too.
        """
        changed = self.changed_since(before)
        is_gone = any(part not in self.parts for part in changed)
        return not any(part in self.of_cases for part in changed) and not (is_gone and _VERDICTS.isdisjoint(changed))


def identity_of(profile: Profile, sources: PreparedSources) -> Identity:
    """Everything that the results of a profile depend on."""
    folder = profile.folder
    of_cases = sources.identity() | {
        "[mask]": digest_of_settings(profile.mask, folder),
        "[pins]": digest_of_settings(profile.pins, folder),
        **digests_of_files([*files_of(profile.mask), *files_of(profile.pins)], folder),
    }
    judging = {
        "[[systems]]": digest_of_settings(profile.systems, folder),
        "[oracle]": digest_of_settings(profile.oracle, folder),
        **digests_of_files(judging_files(profile), folder),
    }
    return Identity(of_cases | judging, of_cases.keys())


def judging_files(profile: Profile) -> Iterator[Path]:
    """The files that are read when cases are judged, and the files of the systems themselves, if they are known."""
    yield from files_of(profile.oracle)
    for system in profile.systems:
        yield from files_of(system)
        yield from system.files(profile.folder)


def digest_of_settings(table: object, folder: Path) -> str:
    """A digest of a table of a profile in this folder. The files that it names may have other contents."""
    return digest_of_text(_text(table, folder))


def _text(value: object, folder: Path) -> str:
    if isinstance(value, Path):
        return repr(relative(value, folder))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = (field.name for field in dataclasses.fields(value) if field.repr)
        parts = (f"{name}={_text(getattr(value, name), folder)}" for name in shown)
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_text(each, folder)}' for key, each in value.items())}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(_text(element, folder) for element in value)})"
    return repr(value)


def digests_of_files(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Digests of files by their names relative to a folder."""
    return {relative(path, folder): digest_of_file(path) for path in files}


def digest_of_file(path: Path) -> str:
    """A digest of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


def digest_of_text(text: str) -> str:
    """A short digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of_graph(graph: Graph) -> str:
    """A digest of all triples in their order. Mutants depend on the order, so `GraphInput.digest` would not do."""
    digest = hashlib.sha256()
    for triple in graph:
        digest.update(str(triple).encode())
    return digest.hexdigest()[:16]
