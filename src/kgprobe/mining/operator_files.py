"""Writes operators to a folder, one file each, without touching anything that kgprobe has not written itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.mining.operator_text import MARK, Update, update_text
from kgprobe.written_files import write_file

__all__ = ["WrittenOperators", "check_folder", "write_operators"]

_ENDING = ".ru"
_MOST_READ = 1 << 20  # no operator that kgprobe writes is larger


@dataclass(frozen=True)
class WrittenOperators:
    """The files of all operators, and those of an earlier run that were removed."""

    files: tuple[Path, ...]
    removed: tuple[Path, ...] = ()


def write_operators(updates: Iterable[Update], folder: str | Path, *, force: bool = False) -> WrittenOperators:
    """Write each operator to a file that is named after it.

    InputError, before anything is written, if the folder has other operators of an earlier run: `force` removes them.
    A file that kgprobe did not write is never replaced nor removed. Files with the same content stay as they are.
    """
    folder = Path(folder)
    texts: dict[Path, bytes] = {}
    for update in updates:
        number, name = 1, update.name
        while folder / (name + _ENDING) in texts:  # hardly ever: names end with a number made from the operator
            number += 1
            name = f"{update.name}-{number}"
        texts[folder / (name + _ENDING)] = update_text(replace(update, name=name)).encode()
    present = _present(folder)
    for path in texts:
        if path in present and not present[path]:
            message = "kgprobe did not write this file, and will not replace it"
            raise InputError(message, where=Position(str(path)), hint="name another folder with --out")
    stale = [path for path, text in present.items() if text is not None and texts.get(path) != text]
    if stale and not force:
        message = f"this folder already contains other mined operators, for example {stale[0].name}"
        hint = "name another folder with --out, or replace them with --force"
        raise InputError(message, where=Position(str(folder)), hint=hint)
    removed = tuple(path for path in stale if path not in texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            if present.get(path) != text:
                write_file(path, text, force=force or path in present)
        for path in removed:
            path.unlink()
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise InputError(message, where=Position(str(error.filename or folder))) from None
    return WrittenOperators(tuple(texts), removed)


def check_folder(folder: Path) -> None:
    """Raise InputError if this cannot be a folder."""
    try:
        is_other = folder.exists() and not folder.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        is_other = True
    if is_other:
        hint = "name the folder to write operators to"
        raise InputError("is not a folder", where=Position(str(folder)), hint=hint)


def _present(folder: Path) -> dict[Path, bytes | None]:
    """The operators in a folder: their texts, and None for those that kgprobe did not write."""
    check_folder(folder)
    found: dict[Path, bytes | None] = {}
    mark = f"\n{MARK}\n".encode()
    try:
        for path in sorted(folder.glob(f"*{_ENDING}")) if folder.exists() else ():
            text = None
            if path.is_file() and path.stat().st_size <= _MOST_READ:
                text = path.read_bytes()
            found[path] = text if text is not None and mark in text else None
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, where=Position(str(error.filename or folder))) from None
    return found
