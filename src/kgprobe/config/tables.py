"""Fills the table types of a profile from its document, and checks the values.

A table type is a frozen dataclass. Its fields are the keys of the table, and the type of a field says how its value is
read and checked: a `File` must exist, a `Folder` too, `Matching` files may be given as a pattern, a `PythonFunction`
stays in the folder of the profile. `key` describes a field for users, and says what its values must be; the JSON
Schema of profiles is made from that. A type with a method `problems` checks more than that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints
from typing import runtime_checkable as checkable

from kgprobe.config.toml import KeyPath, Places
from kgprobe.errors import InputError, did_you_mean

__all__ = [
    "IN_SAME_TABLE",
    "MOST_HINTS",
    "AnyText",
    "Duration",
    "Facts",
    "File",
    "Folder",
    "Key",
    "Matching",
    "Problem",
    "PythonFunction",
    "Reading",
    "Tables",
    "described",
    "files_of",
    "found_at",
    "hints_of",
    "is_needed",
    "key",
    "key_of",
    "keys_of",
    "name_of",
    "reading_of",
    "seconds_of",
]

MOST_HINTS = 100
"""How many problems of a kind get a hint. Only the first one is shown, and hints take time."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_SCHEMES = ("http://", "https://")
_KEY, _NAME, _FILLED_IN = "key", "name", "filled in"


# -- how a key is read, and what it means ------------------------------------------------------------------------------


class Reading(Enum):
    """How to read a value, if its Python type alone does not determine that."""

    FILE = "file"
    FOLDER = "folder"
    MATCHING = "matching"
    DURATION = "duration"
    FACTS = "facts"
    ONE_OR_MORE = "one or more"  # texts in an array, or one text
    ANY_TEXT = "any text"


File: TypeAlias = Annotated[Path, Reading.FILE]
"""A file that must exist. A plain `Path` need not: it is written to."""

Folder: TypeAlias = Annotated[Path, Reading.FOLDER]
"""A folder that must exist."""

Matching: TypeAlias = Annotated[Path, Reading.MATCHING]
"""Files that must exist, by their names or by a pattern such as `ontologies/*.owl`; for fields that are tuples."""

Facts: TypeAlias = Annotated[Path | str, Reading.FACTS]
"""Files and folders that must exist, also by a pattern, and URLs, which stay texts; for fields that are tuples."""

AnyText: TypeAlias = Annotated[str, Reading.ANY_TEXT]
"""A text that may be empty. A plain `str` may not."""

Duration: TypeAlias = Annotated[float, Reading.DURATION]
"""Seconds, which a profile writes as `90s`, `10m` or `2h`."""


@dataclass(frozen=True)
class Key:
    """What a key means, for users, and what JSON Schema demands of its values beyond their type.

    `items` is the same for the elements of an array, or for the values of a table with any keys. A table is of one of
    the `kinds`, if there are any.
    """

    title: str
    description: str
    items: Key | None
    kinds: Collection[type]
    demands: Mapping[str, object]


def described(
    title: str,
    description: str,
    *,
    items: Key | tuple[str, str] | None = None,
    kinds: Collection[type] = (),
    enum: Iterable[object] = (),
    **demands: object,
) -> Key:
    """The description of a key, or of the elements of its value."""
    choices = list(enum)
    inner = described(*items) if isinstance(items, tuple) else items
    return Key(title, description, inner, kinds, {"enum": choices, **demands} if choices else demands)


def key(
    title: str,
    description: str,
    *,
    default: Any = dataclasses.MISSING,
    name: str | None = None,
    is_filled_in: bool = False,
    repr: bool = True,  # noqa: A002 - its name in `dataclasses`
    **more: Any,
) -> Any:
    """A field that is a key of the profile; a field of another kind is none.

    `name` is the name of the key if it is not that of the field. A key that `is_filled_in` elsewhere has no default,
    and a profile need not have it. For everything else, see `described`.
    """
    metadata = {_KEY: described(title, description, **more), _NAME: name, _FILLED_IN: is_filled_in}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, repr=repr, metadata=metadata)
    return dataclasses.field(default=default, repr=repr, metadata=metadata)


@dataclass(frozen=True)
class PythonFunction:
    """A function in a file, which a profile writes as `file.py:function`."""

    file: File
    name: str


@dataclass(frozen=True)
class Problem:
    """Something in a table that the schema cannot express: at this key of the table, or at its value."""

    message: str
    key: KeyPath = ()
    hint: str | None = None
    at_value: bool = False


@checkable
class _Checked(Protocol):
    def problems(self, folder: Path) -> Iterable[Problem]:
        """The problems of the table; `folder` is the folder of the profile."""
        ...


_Table = TypeVar("_Table")


def found_at(*path: str) -> dict[str, object]:
    """The metadata of a field whose value is in another table of the profile."""
    return {"path": path}


IN_SAME_TABLE = {"same": True}
"""The metadata of a field that is a table type itself, and whose keys are beside the other keys of the table."""


# -- filling the tables ------------------------------------------------------------------------------------------------


def seconds_of(duration: str) -> float:
    """`10m` in seconds."""
    return float(duration[:-1]) * _UNITS[duration[-1]]


class Tables:
    """The tables of one document. `problems` are those found so far."""

    def __init__(self, document: Mapping[str, Any], folder: Path, places: Places) -> None:
        self.problems: list[InputError] = []
        self._document = document
        self._folder = folder
        self._places = places
        self._missing = 0

    def table(self, kind: type[_Table], path: KeyPath) -> _Table:
        """The table at this path; one with its defaults if the document has none."""
        hints = hints_of(kind)  # type: ignore[arg-type]  # a type is hashable
        values: dict[str, Any] = {}
        for field in dataclasses.fields(kind):  # type: ignore[arg-type]  # each kind is a dataclass
            if field.metadata.get("same"):
                values[field.name] = self.table(hints[field.name], path)
                continue
            place = field.metadata.get("path") or (*path, name_of(field))
            given = self._given(place)
            if given is not None:  # TOML has no null
                values[field.name] = self._value(hints[field.name], given, place)
        made = kind(**values)
        if isinstance(made, _Checked):
            for problem in made.problems(self._folder):
                self._note(problem, path)
        return made

    def several(self, kind: type[_Table], path: KeyPath) -> tuple[_Table, ...]:
        """All tables of the array at this path."""
        return tuple(self.table(kind, (*path, number)) for number, _ in enumerate(self._given(path) or ()))

    def chosen(self, kinds: Mapping[str, type[_Table]], path: KeyPath, *, what: str) -> tuple[_Table, ...]:
        """All tables of the array at this path, each of the kind whose key it has; `what` they are, in the singular."""
        tables = [
            self._one_of(kinds, table, (*path, number), what) for number, table in enumerate(self._given(path) or ())
        ]
        return tuple(table for table in tables if table is not None)

    def _one_of(
        self, kinds: Mapping[str, type[_Table]], table: Mapping[str, Any], path: KeyPath, what: str
    ) -> _Table | None:
        present = [key for key in kinds if key in table]
        if len(present) != 1:
            asked = f"a {what} has one of {', '.join(kinds)}"
            message = f"{asked}, " + (f"not both {present[0]} and {present[1]}" if present else "and this one has none")
            self._note(Problem(message, (present[1],) if present else ()), path)
            return None
        [key] = present
        for other in table:
            meant = [name for name, kind in kinds.items() if other in keys_of(kind)]
            if key not in meant:
                message = f"'{other}' is for {what}s with {' or '.join(meant)}, and this is a {key}"
                self._note(Problem(message, (other,)), path)
        return self.table(kinds[key], path)

    def _given(self, path: KeyPath) -> Any:
        value: Any = self._document
        for step in path:
            if value is not None:
                value = value[step] if isinstance(step, int) else value.get(step)
        return value

    def _value(self, hint: Any, given: Any, path: KeyPath) -> Any:
        origin = get_origin(hint)
        if origin is Annotated:
            return self._read(hint.__metadata__[0], given, path)
        if origin in (Union, UnionType):
            kinds = [kind for kind in get_args(hint) if kind is not type(None)]
            return self._value(kinds[0], given, path) if len(kinds) == 1 else given
        if origin is Mapping and dataclasses.is_dataclass(kind := get_args(hint)[1]):
            return {name: self.table(kind, (*path, name)) for name in given}  # type: ignore[arg-type]  # a type
        if origin is tuple:
            return tuple(self._elements(get_args(hint)[0], given, path))
        if hint is PythonFunction:
            return self._function(given, path)
        if dataclasses.is_dataclass(hint):
            return self.table(hint, path)  # type: ignore[arg-type]  # a type, not an instance
        if hint is Path:
            return self._folder / given
        if hint in (int, float):  # for JSON Schema, 3.0 is a whole number
            return hint(given)
        return given

    def _elements(self, hint: Any, given: Iterable[Any], path: KeyPath) -> Iterator[Any]:
        how = reading_of(hint)
        for number, element in enumerate(given):
            if how is Reading.FACTS and element.casefold().startswith(_SCHEMES):
                yield element
            elif how in (Reading.MATCHING, Reading.FACTS):
                for file in _matching(self._folder, element):
                    self._check_path(file, Reading.FILE if how is Reading.MATCHING else how, (*path, number))
                    yield file
            else:
                yield self._value(hint, element, (*path, number))

    def _read(self, how: Reading, given: Any, path: KeyPath) -> Any:
        if how is Reading.DURATION:
            return seconds_of(given)
        if how is Reading.ONE_OR_MORE:
            return (given,) if isinstance(given, str) else tuple(given)
        if how is Reading.ANY_TEXT:
            return given
        file = self._folder / given
        self._check_path(file, how, path)
        return file

    def _function(self, given: str, path: KeyPath) -> PythonFunction:
        name, _, function = given.rpartition(":")
        file = self._folder / name
        if not file.resolve().is_relative_to(self._folder.resolve()):
            message = f"{file} is outside the folder of the profile; code there is not run"
            self.problems.append(InputError(message, where=self._places.value(path)))
        self._check_path(file, Reading.FILE, path)
        return PythonFunction(file, function)

    def _check_path(self, file: Path, how: Reading, path: KeyPath) -> None:
        wanted, other = (Path.is_dir, Path.is_file) if how is Reading.FOLDER else (Path.is_file, Path.is_dir)
        if how is Reading.FACTS:
            wanted = Path.exists
        if _is(wanted, file):
            return
        self._missing += 1
        instead = "a file, not a folder" if how is Reading.FOLDER else "a folder, not a file"
        what = f"is {instead}" if _is(other, file) else "does not exist"
        hint = _similar(file, wanted) if self._missing <= MOST_HINTS else None
        self.problems.append(InputError(f"{file} {what}", where=self._places.value(path), hint=hint))

    def _note(self, problem: Problem, table: KeyPath) -> None:
        path = (*table, *problem.key)
        where = self._places.value(path) if problem.at_value else self._places.key(path)
        self.problems.append(InputError(problem.message, where=where, hint=problem.hint))


def files_of(table: object) -> Iterator[Path]:
    """All files that a table names and that must exist, including those of nested tables."""
    if not dataclasses.is_dataclass(table) or isinstance(table, type):
        return
    hints = hints_of(type(table))
    for field in dataclasses.fields(table):
        value = getattr(table, field.name)
        reads = Reading.FILE in _marks(hints[field.name])
        for part in value if isinstance(value, tuple) else (value,):
            if reads and isinstance(part, Path):
                yield part
            else:
                yield from files_of(part)


def _marks(hint: Any) -> Iterator[Any]:
    """What `Annotated` says about a type and its parts."""
    if get_origin(hint) is Annotated:
        yield from hint.__metadata__
    for part in get_args(hint) if get_origin(hint) is not Annotated else ():
        yield from _marks(part)


def reading_of(hint: Any) -> Reading | None:
    """How a value of this type is read, if the type itself does not say that."""
    return hint.__metadata__[0] if get_origin(hint) is Annotated else None


@cache
def hints_of(kind: type[Any]) -> dict[str, Any]:
    """The types of the fields of a table type."""
    return get_type_hints(kind, include_extras=True)


def name_of(field: dataclasses.Field[Any]) -> str:
    """The name of the key for a field."""
    return str(field.metadata.get(_NAME) or field.name.replace("_", "-"))


def key_of(field: dataclasses.Field[Any]) -> Key | None:
    """What a field means as a key; None if it is no key."""
    return field.metadata.get(_KEY)


def is_needed(field: dataclasses.Field[Any]) -> bool:
    """Whether a profile must have the key of a field."""
    has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    return not has_default and not field.metadata.get(_FILLED_IN)


def keys_of(kind: type) -> frozenset[str]:
    """The keys of a table of this type."""
    names: set[str] = set()
    for field in dataclasses.fields(kind):
        names |= keys_of(hints_of(kind)[field.name]) if field.metadata.get("same") else {name_of(field)}
    return frozenset(names)


def _matching(folder: Path, name: str) -> Iterable[Path]:
    """The files that a pattern stands for, in the order of their names; the pattern itself if there are none."""
    if not any(sign in name for sign in "*?"):
        return [folder / name]
    anchor = Path(name).anchor  # of an absolute pattern
    try:
        files = sorted(path for path in (folder / anchor).glob(name.removeprefix(anchor)) if path.is_file())
    except (ValueError, OSError):  # not a valid file name
        files = []
    return files or [folder / name]


def _is(test: Callable[[Path], bool], path: Path) -> bool:
    try:
        return test(path)
    except (OSError, ValueError):  # not a valid file name
        return False


def _similar(path: Path, test: Callable[[Path], bool]) -> str | None:
    """The file in the same folder that was most likely meant."""
    try:
        return did_you_mean(path.name, (other.name for other in path.parent.iterdir() if test(other)))
    except (OSError, ValueError):
        return None
