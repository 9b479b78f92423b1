"""Removes an earlier campaign: its store, the reduced graphs of its findings, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from kgprobe.campaign.reducing import file_stem, findings_folder
from kgprobe.campaign.store import read_store
from kgprobe.campaign.store_file import locked, remove_file
from kgprobe.errors import InputError, Position

__all__ = ["remove_campaign"]


def remove_campaign(path: Path) -> None:
    """Remove a store and the files that belong to it. InputError, and nothing is removed, if it is not a store."""
    if not path.is_file() or not path.stat().st_size:
        return
    with locked(path):
        files = _reduced_graphs(path)
        remove_file(path)
        for file in files:
            _remove(file)
    folder = findings_folder(path)
    if files and not any(folder.iterdir()):
        folder.rmdir()


def _reduced_graphs(path: Path) -> list[Path]:
    """The files that a campaign has written for its findings. Nobody knows those of a store that cannot be read."""
    folder = findings_folder(path)
    if folder.is_symlink() or not folder.is_dir():
        return []
    try:
        with read_store(path) as store:
            stems = {file_stem(finding) for finding in store.findings()}
    except InputError:
        return []
    ours = re.compile(rf"({'|'.join(map(re.escape, stems))})--?\d+\.ttl" if stems else r"(?!)")
    return [file for file in sorted(folder.iterdir()) if ours.fullmatch(file.name) and not file.is_symlink()]


def _remove(file: Path) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(file))) from None
