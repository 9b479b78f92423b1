"""From a profile file to a profile. Whatever is wrong with it is said here, with its place, before anything runs."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kgprobe.config.places import Places, find_places
from kgprobe.config.profile import (
    GraphTable,
    MaskTable,
    MutationTable,
    OutputTable,
    PinsTable,
    Profile,
    PythonFunction,
)
from kgprobe.config.schema import problems
from kgprobe.errors import InputError, Position, nearest

__all__ = ["load_profile"]

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def load_profile(path: str | Path) -> Profile:
    """The profile in a file. InputError at the first thing that is wrong, which tells how many more there are."""
    path = Path(path)
    text = _read(path)
    document = _parse(text, path)
    places = find_places(text, str(path))
    _raise_first(problems(document, places))
    profile = _profile(document, path, places)
    _raise_first([*_odd_values(profile), *_missing_files(profile)])
    return profile


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=Position(str(path))) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8, which TOML must be", where=Position(str(path), line)) from None
    except ValueError as error:  # a character that no name of a file can have
        raise InputError(f"cannot be read: {error}", where=Position(str(path))) from None


def _parse(text: str, path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        last = text.count("\n") + 1
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (last, None)
        message = f"this is not TOML: {_PLACE.sub('', str(error))}"
        raise InputError(message, where=Position(str(path), line, column)) from None
    except RecursionError:
        raise InputError("this is nested too deeply", where=Position(str(path))) from None


def _raise_first(found: Iterable[InputError]) -> None:
    in_order = sorted(found, key=_order)
    if in_order:
        first, others = in_order[0], len(in_order) - 1
        more = f"; {others} more {'problem' if others == 1 else 'problems'} after this" if others else ""
        raise InputError(first.message + more, where=first.where, hint=first.hint)


def _order(problem: InputError) -> tuple[int, int]:
    where = problem.where
    return (where.line or 0, where.column or 0) if where else (0, 0)


def _profile(document: Mapping[str, Any], path: Path, places: Places) -> Profile:
    folder = path.parent

    def paths(names: Iterable[str]) -> tuple[Path, ...]:
        return tuple(folder / name for name in names)

    graph, mutation, mask, pins, output, python = (
        {key.replace("-", "_"): value for key, value in document.get(table, {}).items()}
        for table in ("graph", "mutation", "mask", "pins", "output", "python")
    )
    for name in ("seeds", "imports", "catalogs"):
        graph[name] = paths(graph.get(name, ()))
    for name in ("mutations", "mutants", "seed", "attempts"):
        if name in mutation:
            mutation[name] = int(mutation[name])  # JSON Schema takes 3.0 for a whole number
    mutation["operators"] = tuple(mutation.get("operators", ()))
    mask["shapes"], mask["queries"] = paths(mask.get("shapes", ())), paths(mask.get("queries", ()))
    pins["files"], pins["namespaces"] = paths(pins.get("files", ())), tuple(pins.get("namespaces", ()))
    output["folder"] = folder / output.get("folder", "mutants")
    functions = [name.rpartition(":") for name in python.get("operators", ())]
    return Profile(
        path=path,
        graph=GraphTable(**graph),
        mutation=MutationTable(**mutation),
        mask=MaskTable(**mask),
        pins=PinsTable(**pins),
        output=OutputTable(**output),
        python=tuple(PythonFunction(folder / file, function) for file, _, function in functions),
        places=places,
    )


def _odd_values(profile: Profile) -> Iterator[InputError]:
    """What a schema cannot say."""
    if not profile.mutation.operators and not profile.python:
        hint = 'write operators = ["generic"] below [mutation]'
        yield InputError("a profile needs operators", where=profile.places.key(("mutation", "operators")), hint=hint)
    for name, weight in profile.mutation.weights.items():
        if not math.isfinite(weight):
            where = profile.places.value(("mutation", "weights", name))
            yield InputError(f"[mutation] weights.{name} is a number, not {weight}", where=where)
    for number, function in enumerate(profile.python):
        if not function.file.resolve().is_relative_to(profile.folder.resolve()):
            where = profile.places.value(("python", "operators", number))
            message = f"{function.file} is not in the folder of the profile, and no other code is run"
            yield InputError(message, where=where)


def _missing_files(profile: Profile) -> Iterator[InputError]:
    for table, key, files in (
        ("graph", "seeds", profile.graph.seeds),
        ("graph", "catalogs", profile.graph.catalogs),
        ("mask", "shapes", profile.mask.shapes),
        ("mask", "queries", profile.mask.queries),
        ("pins", "files", profile.pins.files),
        ("python", "operators", tuple(function.file for function in profile.python)),
    ):
        for number, file in enumerate(files):
            if not _is(Path.is_file, file):
                what = "a folder, not a file" if _is(Path.is_dir, file) else "not there"
                where = profile.places.value((table, key, number))
                yield InputError(f"{file} is {what}", where=where, hint=_alike(file, Path.is_file))
    for number, folder in enumerate(profile.graph.imports):
        if not _is(Path.is_dir, folder):
            what = "a file, not a folder" if _is(Path.is_file, folder) else "not there"
            where = profile.places.value(("graph", "imports", number))
            yield InputError(f"{folder} is {what}", where=where, hint=_alike(folder, Path.is_dir))


def _is(test: Callable[[Path], bool], path: Path) -> bool:
    try:
        return test(path)
    except (OSError, ValueError):  # a name that no file can have
        return False


def _alike(path: Path, test: Callable[[Path], bool]) -> str | None:
    """The file beside it that was most likely meant."""
    try:
        meant = nearest(path.name, (found.name for found in path.parent.iterdir() if test(found)))
    except (OSError, ValueError):
        return None
    return f"did you mean '{meant}'?" if meant else None
