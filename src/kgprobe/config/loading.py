"""From a profile file to a profile. Whatever is wrong with it is said here, with its place, before anything runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kgprobe.config.places import Path as KeyPath
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
from kgprobe.config.schema import MOST_HINTS, problems
from kgprobe.config.system_tables import campaign_table, known_bugs, odd_systems, oracle_table, system_tables
from kgprobe.errors import InputError, nearest
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text

__all__ = ["load_profile"]


def load_profile(path: str | Path) -> Profile:
    """The profile in a file. InputError at the first thing that is wrong, which tells how many more there are."""
    path = Path(path)
    text = read_text(path, LARGEST_SETTINGS)
    document = parse_toml(text, str(path))
    places = find_places(text, str(path))
    _raise_first(problems(document, places))
    profile = _profile(document, path, places)
    _raise_first([*_odd_values(profile), *odd_systems(document, profile), *_missing_files(profile)])
    return profile


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
    graph["seeds"] = tuple(seed for name in graph["seeds"] for seed in _matching(folder, name))
    for name in ("imports", "catalogs"):
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
        systems=system_tables(document, folder),
        oracle=oracle_table(document, folder),
        known=known_bugs(document),
        campaign=campaign_table(document, path),
        places=places,
    )


def _matching(folder: Path, name: str) -> Iterable[Path]:
    """The files that a pattern stands for, in the order of their names; the pattern itself if there are none."""
    if not any(sign in name for sign in "*?"):
        return [folder / name]
    anchor = Path(name).anchor  # of an absolute pattern
    try:
        found = sorted(path for path in (folder / anchor).glob(name.removeprefix(anchor)) if path.is_file())
    except (ValueError, OSError):  # what no file can be called
        found = []
    return found or [folder / name]


def _odd_values(profile: Profile) -> Iterator[InputError]:
    """What a schema cannot say."""
    if not profile.mutation.operators and not profile.python:
        hint = 'write operators = ["generic"] below [mutation]'
        yield InputError("a profile needs operators", where=profile.places.key(("mutation", "operators")), hint=hint)
    for name, weight in profile.mutation.weights.items():
        if not math.isfinite(weight):
            where = profile.places.value(("mutation", "weights", name))
            yield InputError(f"[mutation] weights.{name} is a number, not {weight}", where=where)
    for place, function in _named_functions(profile):
        if not function.file.resolve().is_relative_to(profile.folder.resolve()):
            where = profile.places.value(place)
            message = f"{function.file} is not in the folder of the profile, and no other code is run"
            yield InputError(message, where=where)


def _named_files(profile: Profile) -> Iterator[tuple[KeyPath, Path]]:
    """All files that a profile names, each with its place."""
    several: list[tuple[KeyPath, Iterable[Path]]] = [
        (("graph", "seeds"), profile.graph.seeds),
        (("graph", "catalogs"), profile.graph.catalogs),
        (("mask", "shapes"), profile.mask.shapes),
        (("mask", "queries"), profile.mask.queries),
        (("pins", "files"), profile.pins.files),
        (("oracle", "queries"), profile.oracle.queries),
        *((("systems", number, "queries"), system.queries) for number, system in enumerate(profile.systems)),
    ]
    for path, files in several:
        yield from (((*path, number), file) for number, file in enumerate(files))
    if profile.oracle.expected is not None:
        yield ("oracle", "expected"), profile.oracle.expected
    yield from ((path, function.file) for path, function in _named_functions(profile))


def _named_functions(profile: Profile) -> Iterator[tuple[KeyPath, PythonFunction]]:
    yield from ((("python", "operators", number), function) for number, function in enumerate(profile.python))
    if profile.oracle.python is not None:
        yield ("python", "oracle"), profile.oracle.python


def _missing_files(profile: Profile) -> Iterator[InputError]:
    missing = 0
    for path, file in _named_files(profile):
        if not _is(Path.is_file, file):
            missing += 1
            what = "a folder, not a file" if _is(Path.is_dir, file) else "not there"
            hint = _alike(file, Path.is_file) if missing <= MOST_HINTS else None
            yield InputError(f"{file} is {what}", where=profile.places.value(path), hint=hint)
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
