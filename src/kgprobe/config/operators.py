"""Finds the operators that a user names: by a set, a name, a file, a pattern for files, or a folder of files."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

from kgprobe.errors import InputError, Position, nearest
from kgprobe.mutation.catalogue import SETS, named, operator_names, operator_set
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.update import read_operator

__all__ = ["all_different", "operators_for", "resolve_operators"]


def resolve_operators(names: Iterable[str], folder: Path) -> list[Operator]:
    """The operators that these names stand for, each once; files are relative to the folder."""
    return all_different(operator for name in names for operator in operators_for(name, folder))


def operators_for(name: str, folder: Path) -> Sequence[Operator]:
    """The operators that one name stands for."""
    if _is_file(name):
        return [read_operator(path) for path in _files(name, folder)]
    if name in SETS:
        return operator_set(name)
    if name.casefold() in map(str.casefold, operator_names()):
        return [named(name)]
    if _is_folder(folder / name):
        return [read_operator(path) for path in _inside(folder / name)]
    meant = nearest(name, [*SETS, *operator_names()])
    hint = f"did you mean '{meant}'?" if meant else f"sets are {', '.join(SETS)}; files are named .ru"
    raise InputError(f"'{name}' is not a set of operators, an operator, a file or a folder", hint=hint)


def all_different(operators: Iterable[Operator]) -> list[Operator]:
    """The operators without repetitions. InputError if two different ones have the same name."""
    by_name: dict[str, Operator] = {}
    for operator in operators:
        name = operator.description.name
        known = by_name.setdefault(name, operator)
        if known is not operator and known.source != operator.source:
            message = f"there are two operators named '{name}'"
            raise InputError(message, hint="manifests refer to operators by name: give one of them another 'name:'")
    return list(by_name.values())


def _is_file(name: str) -> bool:
    # Names of operators contain none of these characters.
    return name.endswith(".ru") or any(character in name for character in "/\\*?[")


def _files(name: str, folder: Path) -> list[Path]:
    if not glob.has_magic(name):
        path = _existing(folder / name)
        return _inside(path) if path.is_dir() else [path]
    pattern = str(Path(glob.escape(str(folder))) / name)
    files = [path for path in map(Path, sorted(glob.glob(pattern))) if path.is_file()]  # noqa: PTH207 - may be absolute
    if not files:
        raise InputError(f"no file in {folder} matches '{name}'")
    return files


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # not a valid file name
        return False


def _inside(folder: Path) -> list[Path]:
    """The operators in a folder."""
    files = sorted(path for path in folder.glob("*.ru") if path.is_file())
    if not files:
        raise InputError("has no operators", where=Position(str(folder)), hint="operators are files named .ru")
    return files


def _existing(path: Path) -> Path:
    try:
        exists = path.exists()
        beside = [] if exists else [found.name for found in path.parent.iterdir()]
    except (OSError, ValueError):  # no folder, or not a valid file name
        exists, beside = False, []
    if not exists:
        meant = nearest(path.name, beside)
        raise InputError(f"{path} does not exist", hint=f"did you mean '{meant}'?" if meant else None)
    return path
