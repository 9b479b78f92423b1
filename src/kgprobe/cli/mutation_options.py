"""What `kgprobe mutate` is told, beside a profile or a graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgprobe.config.profile import Profile
from kgprobe.errors import InputError

__all__ = ["MutateOptions"]

_QUERIES = (".rq", ".sparql")
# Options by the names that they have here, where these are not their own.
_OPTION_NAMES = {
    "masks": "mask",
    "engine": "shacl-engine",
    "pins": "pin",
    "folders": "imports",
    "catalogs": "catalog",
    "written": "write",
    "format_name": "format",
}


@dataclass(frozen=True, kw_only=True)
class MutateOptions:
    """The options of the command, by their names; those that are not given are None or empty."""

    operators: tuple[str, ...]
    mutations: int | None
    count: int | None
    seed: int | None
    strategy: str | None
    attempts: int | None
    masks: tuple[str, ...]
    engine: str | None
    reasoner: str | None
    pins: tuple[str, ...]
    folders: tuple[str, ...]
    catalogs: tuple[str, ...]
    out: str | None
    written: str | None
    format_name: str | None

    def __post_init__(self) -> None:
        if self.out == "":
            raise InputError("--out names nothing", hint="name a folder, or with --replay a file")

    def given(self) -> Iterator[str]:
        """The options that were given, as they are written."""
        for field in dataclasses.fields(self):
            if getattr(self, field.name) not in (None, ()):
                yield f"--{_OPTION_NAMES.get(field.name, field.name)}"

    def applied_to(self, profile: Profile) -> Profile:
        """The profile, with what the command line says instead."""
        queries = [path for path in self.masks if path.lower().endswith(_QUERIES)]
        shapes = [path for path in self.masks if path not in queries]
        files = [pin for pin in self.pins if pin != "imports" and _is_file(pin)]
        namespaces = [pin for pin in self.pins if pin != "imports" and pin not in files]
        changed = dataclasses.replace(
            profile,
            graph=_replaced(profile.graph, imports=_paths(self.folders), catalogs=_paths(self.catalogs)),
            mutation=_replaced(
                profile.mutation,
                operators=self.operators,
                mutations=self.mutations,
                mutants=self.count,
                seed=self.seed,
                strategy=self.strategy,
                attempts=self.attempts,
            ),
            mask=_replaced(
                profile.mask,
                shapes=_paths(shapes),
                queries=_paths(queries),
                reasoner=self.reasoner,
                shacl_engine=self.engine,
            ),
            pins=_replaced(
                profile.pins,
                files=_paths(files),
                namespaces=tuple(namespaces),
                imports="imports" in self.pins or None,
            ),
            output=_replaced(
                profile.output, folder=self.out and Path(self.out), format=self.format_name, write=self.written
            ),
        )
        if not changed.mutation.operators and not changed.python:
            hint = "name a set: --operators generic for any graph, --operators owl-el for an ontology"
            raise InputError("no operators are named", hint=hint)
        return changed


def _replaced(table: Any, **values: Any) -> Any:
    return dataclasses.replace(table, **{key: value for key, value in values.items() if value not in (None, ())})


def _paths(names: Iterable[str]) -> tuple[Path, ...]:
    return tuple(map(Path, names))


def _is_file(value: str) -> bool:
    """Whether this names a file; if not, it is a namespace: an IRI, or a prefix with its colon."""
    try:
        return Path(value).is_file() or ":" not in value
    except (OSError, ValueError):
        return False
