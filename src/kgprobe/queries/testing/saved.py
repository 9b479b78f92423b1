"""Counterexamples in a folder, as regression tests: for each a file with the data, and a JSON file about it.

The data are in Turtle, or in TriG if there are named graphs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, Position
from kgprobe.given_files import LARGEST_SETTINGS, LARGEST_TEXT, read_text
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Counterexample, Data, graph_of, read_data
from kgprobe.queries.testing.request import Request, Text
from kgprobe.queries.testing.run import Settings, prepared_test
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.written_files import write_file

__all__ = ["Replayed", "replayed", "save", "saved_in"]

_KIND = "kgprobe query test"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Saved:
    """A counterexample that was saved: its data, and how it was found. Python functions are saved by name only.

    `broken` is the property that the query broke.
    """

    path: Path
    query: str
    broken: str
    reason: str
    regime: Regime
    ontologies: tuple[str, ...]
    request: Request
    checks: tuple[str, ...]
    data: Data

    @property
    def name(self) -> str:
        """Its name: that of its files."""
        return self.path.stem


def save(
    folder: Path,
    found: Counterexample,
    *,
    query: str,
    ontologies: tuple[str, ...],
    request: Request,
    regime: Regime,
) -> Path:
    """Write a counterexample of a query file. The same counterexample always has the same name."""
    digest = hashlib.sha256(f"{found.property}\n{found.turtle}".encode()).hexdigest()[:8]
    has_graphs = any(graph_of(datum) is not None for datum in found.triples)
    path = folder / f"{Path(query).stem}-{digest}.{'trig' if has_graphs else 'ttl'}"
    about = {
        "kind": _KIND,
        "query": Path(query).name,
        "ontologies": list(ontologies),
        "regime": str(regime),
        "property": found.property,
        "reason": found.reason,
        "properties": _as_json(request),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, found.turtle.encode())
        write_file(path.with_suffix(".json"), (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=Position(str(folder))) from None
    return path


def _as_json(request: Request) -> dict[str, Any]:
    return {
        "expect": list(request.expect),
        "possible": request.possible,
        "related": list(request.related),
        "ask": [{"name": text.name, "text": text.text} for text in request.ask],
        "nonempty": request.nonempty,
        "empty": request.empty,
        "at_most": request.at_most,
        "same_as": [{"name": text.name, "text": text.text} for text in request.same_as],
        "checks": list(request.checks),
    }


def saved_in(folder: Path) -> list[Saved]:
    """All counterexamples in a folder, by name. InputError if one of them cannot be read."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", hint="--save FOLDER makes one")
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path: Path) -> Saved:
    try:
        about = json.loads(read_text(path, LARGEST_SETTINGS))
        if not isinstance(about, Mapping) or about.get("kind") != _KIND:
            raise InputError("is not a saved counterexample", where=Position(str(path)))
        given = _get(about, "properties", dict)
        request = Request(
            expect=tuple(_strings(given, "expect")),
            possible=_get(given, "possible", bool),
            related=tuple(_strings(given, "related")),
            ask=tuple(_texts(given, "ask")),
            nonempty=_get(given, "nonempty", bool),
            empty=_get(given, "empty", bool),
            at_most=None if given["at_most"] is None else _get(given, "at_most", int),
            same_as=tuple(_texts(given, "same_as")),
        )
        data = path.with_suffix(".trig")
        if not data.exists():
            data = path.with_suffix(".ttl")
        return Saved(
            data,
            _get(about, "query", str),
            _get(about, "property", str),
            _get(about, "reason", str),
            Regime(_get(about, "regime", str)),
            tuple(_strings(about, "ontologies")),
            request,
            tuple(_strings(given, "checks")),
            read_data(read_text(data, LARGEST_TEXT), str(data)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is not a saved counterexample: {error}", where=Position(str(path))) from None


def _get(about: Mapping[str, Any], key: str, kind: type[_Value]) -> _Value:
    value = about[key]
    if not isinstance(value, kind):
        raise TypeError(f"{key} is not of the right kind")
    return value


def _strings(about: Mapping[str, Any], key: str) -> Iterator[str]:
    for entry in _get(about, key, list):
        if not isinstance(entry, str):
            raise TypeError(f"{key} is not a list of texts")
        yield entry


def _texts(about: Mapping[str, Any], key: str) -> Iterator[Text]:
    for entry in _get(about, key, list):
        yield Text(_get(entry, "text", str), _get(entry, "name", str))


def with_checks(saved: Saved, find: Callable[[str], Callable[..., Any]]) -> Request:
    """The request of a saved counterexample, with its Python functions found by name."""
    given = saved.request
    return Request(
        given.expect,
        given.possible,
        given.related,
        given.ask,
        given.nonempty,
        given.empty,
        given.at_most,
        given.same_as,
        {name: find(name) for name in saved.checks},
    )


# -- running a query on them again -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replayed:
    """What became of a saved counterexample: whether its property still fails, and the reason."""

    name: str
    property: str
    is_failing: bool
    reason: str

    def value(self) -> dict[str, Any]:
        """The result for JSON."""
        return {"name": self.name, "property": self.property, "failing": self.is_failing, "reason": self.reason}


def replayed(
    saved: Saved,
    query: Text,
    schema: Schema,
    reasoner: Reasoner,
    settings: Settings,
    find: Callable[[str], Callable[..., Any]],
) -> Replayed:
    """Run a query on saved data, and check the properties that were saved with them."""
    chosen = replace(settings, regime=saved.regime)
    prefixes = schema.graph.spelling.prefixes
    try:
        request = with_checks(saved, find)
        test = prepared_test(query.text, schema, request, reasoner, chosen, name=query.name, prefixes=prefixes)
    except InputError as error:
        return Replayed(saved.name, saved.broken, is_failing=True, reason=f"it cannot be run: {error}")
    data = tuple(datum for datum in saved.data if not test.is_stated(datum))
    breach = test.breach(data)
    if breach is not None:
        return Replayed(saved.name, breach.property, is_failing=True, reason=breach.reason)
    consistent = test.judge.is_consistent(data)
    reason = "the property holds" if consistent else "the data are no longer consistent with the ontology"
    if consistent is None:
        return Replayed(
            saved.name, saved.broken, is_failing=True, reason="it is undecided whether the data are consistent"
        )
    return Replayed(saved.name, saved.broken, is_failing=False, reason=reason)
