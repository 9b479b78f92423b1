"""Mutants, the steps that led to them, and their record in a manifest, from which each can be made again.

A manifest consists of lines of JSON. The first line has the location of the seed graph and the options. Each further
line describes a mutant: its number and its steps, with the triples that each step removed and added, as in N-Triples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyoxigraph

from kgprobe.errors import InputError, Position
from kgprobe.given_files import check_file, parse_json
from kgprobe.mutation.operator import Change
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Term, Triple

__all__ = [
    "Manifest",
    "ManifestEntry",
    "Mutant",
    "MutationStep",
    "delta_value",
    "explained",
    "read_delta",
    "read_manifest",
    "read_steps",
    "steps_value",
]

_KIND = "kgprobe-manifest"
_VERSION = 1
# Characters. A mutant that changes all of a large graph has a line of some megabytes.
_LONGEST_LINE = 1 << 28


@dataclass(frozen=True)
class MutationStep:
    """One application of an operator: its choices, and its changes."""

    operator: str
    binding: Mapping[str, Term]
    delta: Delta


class Mutant:
    """A graph that differs from its seed by some steps.

    `attempts` is the number of graphs made to find this one, and `attempt` the number of the attempt that made it.
    """

    def __init__(
        self, number: int, attempts: int, graph: Graph, changes: Sequence[tuple[str, Change]], attempt: int = 0
    ) -> None:
        self.number = number
        self.attempts = attempts
        self.attempt = attempt
        self.graph = graph
        self._changes = changes

    # Both are made on demand: a mutant that is only run needs neither of them.

    @cached_property
    def steps(self) -> tuple[MutationStep, ...]:
        """The steps, in order."""
        return tuple(
            MutationStep(
                operator,
                {name: self.graph.term(key) for name, key in change.binding.items()},
                Delta(removed=map(self.graph.triple, change.removed), added=map(self.graph.triple, change.added)),
            )
            for operator, change in self._changes
        )

    @cached_property
    def delta(self) -> Delta:
        """The total change of all steps."""
        return self.graph.changes()


def explained(step: MutationStep, does: str, spelling: Spelling) -> Iterator[str]:
    """Lines that explain a step; `does` describes the operator. Lines with + and - are added and removed triples."""
    chosen = ", ".join(f"{name} is {spelling.term(term)}" for name, term in step.binding.items())
    yield f"{step.operator}: {does}" + (f"; {chosen}" if chosen else "")
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        yield from (f"{sign} {spelling.triple(triple)} ." for triple in triples)


@dataclass(frozen=True)
class ManifestEntry:
    """A mutant in a manifest, with the total change of its steps."""

    number: int
    operators: tuple[str, ...]
    delta: Delta


@dataclass(frozen=True)
class Manifest:
    """The values of the first line, and the location of the file."""

    path: Path
    header: Mapping[str, Any]

    def entries(self) -> Iterator[ManifestEntry]:
        """All mutants, in order of their lines."""
        for _, value, where in self._values():
            yield _entry(value, where)

    def entry(self, number: int) -> ManifestEntry:
        """The mutant with this number."""
        last = 0
        for other, value, where in self._values():
            if other == number:
                return _entry(value, where)
            last = max(last, other)
        hint = f"it has 1 to {last}" if last else "it has none"
        raise InputError(f"there is no mutant {number}", where=Position(str(self.path)), hint=hint)

    def _values(self) -> Iterator[tuple[int, dict[str, Any], Position]]:
        """The lines after the first one, with the numbers of their mutants and their positions."""
        for line, value in _lines(self.path):
            if line == 1:
                continue
            where = Position(str(self.path), line)
            number = value.get("mutant")
            if type(number) is not int:  # JSON also has floats, and bool is an int in Python
                raise InputError("this line has no mutant number", where=where)
            yield number, value, where


def header_line(values: Mapping[str, Any]) -> str:
    """The first line of a manifest."""
    return _json({"kind": _KIND, "version": _VERSION, **values})


def entry_line(mutant: Mutant, file: str | None) -> str:
    """The line for a mutant; `file` is the path that it was written to."""
    steps = steps_value(mutant.steps)
    return _json({"mutant": mutant.number, "attempts": mutant.attempts, "file": file, "steps": steps})


def steps_value(steps: Iterable[MutationStep]) -> list[dict[str, Any]]:
    """Steps as JSON, for storage outside of a manifest."""
    return [_step_value(step) for step in steps]


def read_steps(value: Any) -> tuple[MutationStep, ...]:
    """The steps that `steps_value` encoded. ValueError if the value is anything else."""
    try:
        return tuple(
            MutationStep(
                str(step["operator"]), {name: _term(term) for name, term in step["binding"].items()}, _delta(step)
            )
            for step in value
        )
    except (KeyError, TypeError, AttributeError, SyntaxError, RecursionError) as error:
        raise ValueError(f"not the steps of a mutant: {error}") from None


def _step_value(step: MutationStep) -> dict[str, Any]:
    return {
        "operator": step.operator,
        "binding": {name: str(term) for name, term in step.binding.items()},
        **delta_value(step.delta),
    }


def delta_value(delta: Delta) -> dict[str, list[str]]:
    """A change as JSON."""
    return {"removed": list(map(str, delta.removed)), "added": list(map(str, delta.added))}


def read_delta(value: Any) -> Delta:
    """The change that `delta_value` encoded. ValueError if the value is anything else."""
    try:
        return _delta(value)
    except (KeyError, TypeError, AttributeError, SyntaxError, RecursionError) as error:
        raise ValueError(f"not a change: {error}") from None


def _delta(step: Mapping[str, Any]) -> Delta:
    return Delta(removed=_triples(step["removed"]), added=_triples(step["added"]))


def _term(text: str) -> Term:
    [triple] = _triples([f"_:s <urn:p> {text}"])
    assert not isinstance(triple.object, Triple)  # noqa: S101 - no graph here has triples in triples
    return triple.object


def read_manifest(path: Path) -> Manifest:
    """Open a manifest."""
    for _, value in _lines(path):
        if value.get("kind") != _KIND:
            break
        if value.get("version") != _VERSION:
            message = f"this manifest has version {value.get('version')}, but only {_VERSION} is supported"
            raise InputError(message, where=Position(str(path), 1))
        return Manifest(path, value)
    raise InputError("is not a manifest of mutants", where=Position(str(path)))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    check_file(path)
    try:
        with path.open(encoding="utf-8") as stream:
            number = 0
            while line := stream.readline(_LONGEST_LINE + 1):
                number += 1
                where = Position(str(path), number)
                if len(line) > _LONGEST_LINE:
                    raise InputError("this line is too long for a manifest of mutants", where=where)
                value = parse_json(line.rstrip("\n"), where)
                if not isinstance(value, dict):
                    raise InputError("is not a manifest of mutants", where=where)
                yield number, value
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=Position(str(path))) from None
    except UnicodeDecodeError:
        raise InputError("is not a manifest of mutants", where=Position(str(path))) from None


def _entry(value: dict[str, Any], where: Position) -> ManifestEntry:
    total = Delta()
    try:
        for step in value["steps"]:
            total = total.then(_delta(step))
        operators = tuple(str(step["operator"]) for step in value["steps"])
        return ManifestEntry(int(value["mutant"]), operators, total)
    except (KeyError, TypeError, ValueError, SyntaxError) as error:
        raise InputError(f"this mutant cannot be read: {error}", where=where) from None


def _triples(lines: Iterable[str]) -> list[Triple]:
    text = "".join(f"{line} .\n" for line in lines)
    return [quad.triple for quad in pyoxigraph.parse(text.encode(), pyoxigraph.RdfFormat.N_TRIPLES)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
