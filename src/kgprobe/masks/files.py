"""Reads checks from files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, did_you_mean
from kgprobe.formats.files import load
from kgprobe.masks.ask import read_query
from kgprobe.masks.mask import DEFAULT_SECONDS, Check
from kgprobe.masks.pins import PinnedNamespace, PinnedTriples
from kgprobe.masks.shacl import DEFAULT_ENGINE, read_shapes
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode

__all__ = ["read_checks", "read_pin", "read_pins"]


@dataclass(frozen=True)
class CheckOptions:
    """What the checks of one mask share: prefixes that queries may use besides their own, and the time for a graph."""

    prefixes: Mapping[str, str] | None = None
    seconds: float | None = DEFAULT_SECONDS


def _query(path: Path, options: CheckOptions) -> Check:
    return read_query(path, options.prefixes, seconds=options.seconds)


READERS: dict[str, Callable[[Path, CheckOptions], Check]] = {".rq": _query, ".sparql": _query}
"""How files of masks are read, by the ends of their names. All others are SHACL shapes, which are read together."""


def read_checks(
    paths: Iterable[str | Path],
    *,
    engine: str = DEFAULT_ENGINE,
    prefixes: Mapping[str, str] | None = None,
    seconds: float | None = DEFAULT_SECONDS,
) -> list[Check]:
    """The checks of one mask, in files: ASK queries if their names end with .rq or .sparql, else SHACL shapes.

    Queries may use `prefixes` in addition to their own. `seconds` is the time limit of each check for a graph.
    """
    names = list(map(Path, paths))
    others = [path for path in names if path.suffix.lower() in READERS]
    shapes = [path for path in names if path not in others]
    options = CheckOptions(prefixes, seconds)
    return [
        *read_shapes(*shapes, engine=engine, seconds=seconds),
        *(READERS[path.suffix.lower()](path, options) for path in others),
    ]


def read_pins(path: str | Path) -> PinnedTriples:
    """The check that a graph has all triples of a file."""
    loaded = load(path)
    return PinnedTriples(loaded.graph, loaded.name)


# -- pins on a command line: a file of triples, or a namespace ---------------------------------------------------------

_ANGLE_BRACKETS = re.compile("<(.*)>")
_PREFIX = re.compile(r"([^:/\\]*):")
_WITH_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):.+")


def read_pin(value: str, *graphs: Graph) -> PinnedTriples | PinnedNamespace:
    """The check for a value: a file, a `prefix:` of one of the graphs, or an IRI with which names begin.

    A namespace that none of the graphs uses would pin nothing, so it is refused.
    """
    prefixes = {prefix: iri for graph in reversed(graphs) for prefix, iri in graph.spelling.prefixes.items()}
    prefix = _PREFIX.fullmatch(value)
    known = prefixes.get(prefix[1]) if prefix else None
    if value == "-" or Path(value).exists():
        if known is not None:
            raise InputError(f"'{value}' is a file and a prefix", hint=f"pin './{value}' or '<{known}>'")
        return read_pins(value)
    if known is not None:
        return PinnedNamespace(known)
    if prefix:
        hint = did_you_mean(value, [f"{prefix}:" for prefix in prefixes], _all_prefixes(prefixes))
        raise InputError(f"the graph has no prefix '{value}'", hint=hint)
    if in_brackets := _ANGLE_BRACKETS.fullmatch(value):
        return _namespace(in_brackets[1], prefixes, graphs)
    if scheme := _WITH_SCHEME.fullmatch(value):
        if scheme[1] in prefixes:
            hint = f"pin the namespace '{scheme[1]}:', or a file with the triples"
            raise InputError(f"'{value}' is a single name, not a namespace", hint=hint)
        return _namespace(value, prefixes, graphs)
    if value in prefixes:
        raise InputError(f"there is no file '{value}'", hint=f"did you mean the namespace '{value}:'?")
    return read_pins(value)


def _namespace(iri: str, prefixes: dict[str, str], graphs: tuple[Graph, ...]) -> PinnedNamespace:
    subjects = {subject.value for graph in graphs for subject in _named_subjects(graph)}
    if iri and (iri in prefixes.values() or any(subject.startswith(iri) for subject in subjects)):
        return PinnedNamespace(iri)
    hint = did_you_mean(iri, {*prefixes.values(), *map(_namespace_of, subjects)} - {""}, _all_prefixes(prefixes))
    raise InputError(f"the graph has no subject that begins with <{iri}>", hint=hint)


def _named_subjects(graph: Graph) -> Iterator[NamedNode]:
    for key in {row[0] for row in graph.rows()}:
        term = graph.term(key)
        if isinstance(term, NamedNode):
            yield term


def _namespace_of(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1]


def _all_prefixes(prefixes: dict[str, str]) -> str:
    names = ", ".join(f"'{prefix}:'" for prefix in sorted(prefixes))
    return (
        f"pin a file, an IRI, or one of the prefixes {names}" if names else "pin a file or an IRI; it has no prefixes"
    )
