"""Loads a profile. Reports all mistakes in it, with their positions, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kgprobe.config.profile import (
    METHODS,
    CampaignTable,
    GraphTable,
    KnownBug,
    MaskTable,
    Method,
    OracleTable,
    OutputTable,
    PinsTable,
    Profile,
)
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.schema import problems, schema, spelled
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import SYSTEMS, FunctionTable
from kgprobe.config.tables import Tables
from kgprobe.config.toml import KeyPath, Places, find_places
from kgprobe.errors import InputError
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text
from kgprobe.wording import number_of

__all__ = ["load_profile", "profile_in"]


def load_profile(path: str | Path) -> Profile:
    """Load a profile from a file. InputError for the first problem, with the number of further ones."""
    path = Path(path)
    text = read_text(path, LARGEST_SETTINGS)
    document = parse_toml(text, str(path))
    return profile_in(document, path, find_places(text, str(path)))


def profile_in(document: Mapping[str, Any], path: Path, places: Places) -> Profile:
    """The profile in a document; `path` is its file, which need not exist. InputError as for `load_profile`."""
    _raise_first(problems(document, places, schema()))
    # Some defaults depend on the profile. Reducing a question costs requests.
    defaults: dict[str, dict[str, Any]] = {
        "output": {"folder": "mutants"},
        "campaign": {"store": path.with_suffix(".sqlite").name, **({"reduce": 0} if "questions" in document else {})},
    }
    whole = {**document, **{name: {**values, **document.get(name, {})} for name, values in defaults.items()}}
    tables = Tables(whole, path.parent, places)
    profile = _profile(document, path, places, tables)
    _raise_first([*_odd_seeds(document, profile), *_only_for_graphs(document, profile), *tables.problems])
    return profile


def _raise_first(found: Iterable[InputError]) -> None:
    in_order = sorted(found, key=_order)
    if in_order:
        first, others = in_order[0], len(in_order) - 1
        more = f"; {number_of(others, 'more problem')} after this" if others else ""
        raise InputError(first.message + more, where=first.where, hint=first.hint)


def _order(problem: InputError) -> tuple[int, int]:
    where = problem.where
    return (where.line or 0, where.column or 0) if where else (0, 0)


def _profile(document: Mapping[str, Any], path: Path, places: Places, tables: Tables) -> Profile:
    return Profile(
        path=path,
        graph=tables.table(GraphTable, ("graph",)),
        method=_method(document, places, tables),
        mask=tables.table(MaskTable, ("mask",)),
        pins=tables.table(PinsTable, ("pins",)),
        output=tables.table(OutputTable, ("output",)),
        systems=_systems(places, tables),
        oracle=tables.table(OracleTable, ("oracle",)),
        known=tables.several(KnownBug, ("known",)),
        campaign=tables.table(CampaignTable, ("campaign",)),
        places=places,
    )


def _method(document: Mapping[str, Any], places: Places, tables: Tables) -> Method:
    """How cases are made: the table of one method."""
    named = [name for name in METHODS if name in document] or list(METHODS)[:1]
    for other in named[1:]:  # which of the other keys belong here depends on the method
        message = f"a profile has one of [{named[0]}] and [{other}], not both"
        raise InputError(message, where=places.key((other,)), hint="remove one of the two tables")
    return tables.table(METHODS[named[0]], (named[0],))


def _odd_seeds(document: Mapping[str, Any], profile: Profile) -> Iterator[InputError]:
    if profile.method.needs_seeds and "seeds" not in document.get("graph", {}):
        what = "[graph] needs 'seeds'" if "graph" in document else "a profile needs a table [graph]"
        yield InputError(what, where=profile.places.key(("graph",)))
    if not profile.method.needs_seeds and profile.graph.seeds:
        hint = "remove them, or write [mutation] in place of the table for other cases"
        yield InputError("[graph] seeds are for [mutation]", where=profile.places.key(("graph", "seeds")), hint=hint)


def _only_for_graphs(document: Mapping[str, Any], profile: Profile) -> Iterator[InputError]:
    """Keys that a profile with questions cannot use: nobody would notice that they have no effect."""
    if not isinstance(profile.method, QuestionsTable):
        return
    oracle = [("oracle", key) for key in document.get("oracle", {}) if key not in ("exit", "runs")]
    python = [("python", "oracle")] if "oracle" in document.get("python", {}) else []
    for path in (*((name,) for name in ("graph", "mask", "pins") if name in document), *oracle, *python):
        message = f"{spelled(path)} is for graphs, and this profile asks questions"
        yield InputError(message, where=profile.places.key(path), hint="remove it")


def _systems(places: Places, tables: Tables) -> tuple[SystemTable, ...]:
    """All systems, functions in Python last."""
    paths: tuple[KeyPath, KeyPath] = (("systems",), ("python", "systems"))
    others = tables.chosen(SYSTEMS, paths[0], what="system")
    functions = tables.several(FunctionTable, paths[1])
    names: set[str] = set()
    for path, systems in zip(paths, (others, functions), strict=True):
        for number, system in enumerate(systems):
            if system.name in names:
                where = places.key((*path, number))
                message = f"two systems are called '{system.name}'"
                tables.problems.append(InputError(message, where=where, hint="give each its own name"))
            names.add(system.name)
    return (*others, *functions)
