"""The tables of a profile about what is run: systems under test, the oracle, known bugs, the campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kgprobe.config.places import Path as KeyPath
from kgprobe.config.profile import (
    CampaignTable,
    KnownBug,
    OracleTable,
    Profile,
    PythonFunction,
    ServiceTable,
    SystemTable,
)
from kgprobe.errors import InputError

__all__ = ["campaign_table", "known_bugs", "odd_systems", "oracle_table", "seconds_of", "system_tables"]

_KINDS = ("command", "reasoner", "http", "sparql")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
# Keys that mean something for some kinds of systems only.
_ONLY_FOR = {
    "task": ("reasoner",),
    "answers": ("command", "http"),
    "format": ("command", "http"),
    "method": ("http",),
    "headers": ("http",),
    "store": ("sparql",),
    "queries": ("sparql",),
    "service": ("http", "sparql"),
}


def seconds_of(duration: str) -> float:
    """`10m` in seconds."""
    return float(duration[:-1]) * _UNITS[duration[-1]]


def system_tables(document: Mapping[str, Any], folder: Path) -> tuple[SystemTable, ...]:
    """All systems, those in Python last."""
    others = [_system(table, folder) for table in document.get("systems", ())]
    functions = [_system(table, folder) for table in document.get("python", {}).get("systems", ())]
    return (*others, *functions)


def _system(table: Mapping[str, Any], folder: Path) -> SystemTable:
    values = {key.replace("-", "_"): value for key, value in table.items()}
    values.setdefault("name", _name(values))
    values["command"] = tuple(values.get("command", ()))
    values["queries"] = tuple(folder / name for name in values.get("queries", ()))
    if "service" in values:
        service = {key.replace("-", "_"): value for key, value in values["service"].items()}
        commands = {name: tuple(service[name]) for name in ("start", "stop") if name in service}
        values["service"] = ServiceTable(**service | commands)
    return SystemTable(**values)


def _name(values: Mapping[str, Any]) -> str:
    """What to call a system that has no name."""
    if "function" in values:
        return str(values["function"]).rpartition(":")[2]
    if values.get("command"):
        words = [word for word in values["command"] if not word.startswith("{")]
        return Path(words[0]).stem if words else "command"
    return str(values.get("reasoner") or next((kind for kind in _KINDS if kind in values), "system"))


def oracle_table(document: Mapping[str, Any], folder: Path) -> OracleTable:
    """How runs are judged."""
    values = {key.replace("-", "_"): value for key, value in document.get("oracle", {}).items()}
    for name in ("exit", "invalid"):
        if name in values:
            values[name] = tuple(map(int, values[name]))
    values["queries"] = tuple(folder / name for name in values.get("queries", ()))
    if "expected" in values:
        values["expected"] = folder / values["expected"]
    function = document.get("python", {}).get("oracle")
    if function is not None:
        file, _, name = function.rpartition(":")
        values["python"] = PythonFunction(folder / file, name)
    return OracleTable(**values)


def known_bugs(document: Mapping[str, Any]) -> tuple[KnownBug, ...]:
    """Findings that are counted apart."""
    return tuple(KnownBug(**table) for table in document.get("known", ()))


def campaign_table(document: Mapping[str, Any], path: Path) -> CampaignTable:
    """How long a campaign goes on; `path` is the profile."""
    values = dict(document.get("campaign", {}))
    values["store"] = path.parent / values["store"] if "store" in values else path.with_suffix(".sqlite")
    if "for" in values:
        values["seconds"] = seconds_of(values.pop("for"))
    return CampaignTable(**values)


def odd_systems(document: Mapping[str, Any], profile: Profile) -> Iterator[InputError]:
    """What a schema cannot say about systems."""
    for number, table in enumerate(document.get("systems", ())):
        yield from _odd_system(table, ("systems", number), profile)
    places: list[KeyPath] = [("systems", number) for number, _ in enumerate(document.get("systems", ()))]
    functions = document.get("python", {}).get("systems", ())
    places += [("python", "systems", number) for number, _ in enumerate(functions)]
    names: set[str] = set()
    for place, system in zip(places, profile.systems, strict=True):
        if system.name in names:
            hint = "give each a name of its own"
            yield InputError(f"two systems are called '{system.name}'", where=profile.places.key(place), hint=hint)
        names.add(system.name)
        file, _, _ = (system.function or "").rpartition(":")
        if file.endswith(".py") and not (profile.folder / file).resolve().is_relative_to(profile.folder.resolve()):
            message = f"{file} is not in the folder of the profile, and no other file is run"
            yield InputError(message, where=profile.places.value((*place, "function")))


def _odd_system(table: Mapping[str, Any], place: KeyPath, profile: Profile) -> Iterator[InputError]:
    kinds = [kind for kind in _KINDS if kind in table]
    if len(kinds) != 1:
        what = f"a system has one of {', '.join(_KINDS)}"
        told = f"{what}, not both {kinds[0]} and {kinds[1]}" if kinds else f"{what}, and this one has none"
        yield InputError(told, where=profile.places.key((*place, kinds[1]) if kinds else place))
        return
    for key, meant in _ONLY_FOR.items():
        if key in table and kinds[0] not in meant:
            message = f"'{key}' is for systems with {' or '.join(meant)}, and this is a {kinds[0]}"
            yield InputError(message, where=profile.places.key((*place, key)))
    if kinds == ["sparql"] and not table.get("queries"):
        yield InputError("a sparql system needs 'queries'", where=profile.places.key(place))
