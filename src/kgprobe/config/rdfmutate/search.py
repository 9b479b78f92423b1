"""The files that a configuration of RDFMutate names. It does so as seen from where RDFMutate was started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgprobe.config.rdfmutate.configuration import Named
from kgprobe.errors import InputError

__all__ = ["find_file"]


def find_file(named: Named, configuration: Path) -> tuple[Path, str | None]:
    """The file, and a note if it was not where the name says, seen from the configuration.

    RDFMutate is mostly started at the root of a project, which is a folder above the configuration; and files are
    copied without the folders that they were in.
    """
    folder = configuration.parent
    for place in _places(Path(named.name), folder):
        if place.is_file():
            note = None if place == folder / named.name else f"{named.name} is taken to be {place}"
            return place, note
    message = f"{named.name} was not found from the configuration, from here, or from any folder above"
    raise InputError(message, where=named.where)


def _places(name: Path, folder: Path) -> Iterator[Path]:
    yield folder / name
    yield Path.cwd() / name
    if not name.is_absolute():
        yield from (above / name for above in folder.resolve().parents)
    for first in range(1, len(name.parts)):
        shorter = Path(*name.parts[first:])
        yield folder / shorter
        yield Path.cwd() / shorter
