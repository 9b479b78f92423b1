"""Entities of the paper's sets, classes and property edges, and short names for their labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kgprobe.rdf.terms import BlankNode, Term

__all__ = [
    "SUB_PROPERTY",
    "UNDEFINED",
    "Entity",
    "ShortNames",
    "edges_by_name",
    "in_order",
    "local_name",
    "names_in",
    "short_names",
    "spelled",
    "with_names",
]

SUB_PROPERTY = "subPropertyOf"
UNDEFINED = "[]"  # a blank node without a definition
_NAME = re.compile(r'<([^<>"{}|^`\\\x00-\x20]+)>')


class Entity(NamedTuple):
    """⟨n, -, -⟩, the node of a class, or ⟨s, t, p⟩, a property edge.

    In a label every name is an IRI in angle brackets: `<http://example.org/hasTopping>[some]`. So a label never depends
    on the rest of an ontology, and the labels of two versions can be compared. `ShortNames` makes them readable.
    """

    source: Term
    target: Term | None = None
    label: str | None = None


def in_order(entity: Entity) -> tuple[str, str, str]:
    """The sort key of entities: source, target, label."""
    source, target, label = entity
    return source.value, "" if target is None else target.value, label or ""


@dataclass(frozen=True)
class ShortNames:
    """Short names for labels, where they are unambiguous: `hasTopping[some]`. Other names are shown in full."""

    shown: Mapping[str, str]

    def label(self, label: str) -> str:
        """A readable form of a label."""
        return with_names(label, lambda name: self.shown.get(name, name))

    def row(self, entity: Entity) -> list[str | None]:
        """An entity for JSON: its source, its target or None, its label or None."""
        source, target, label = entity
        return [source.value, None if target is None else target.value, None if label is None else self.label(label)]


def short_names(*edges: Iterable[Entity]) -> ShortNames:
    """The short names of all names in the labels of these edges, except those that two names share."""
    labels = {edge.label for some in edges for edge in some if edge.label is not None}
    owners: dict[str, list[str]] = {}
    for name in {name for label in labels for name in names_in(label)}:
        owners.setdefault(local_name(name), []).append(name)
    return ShortNames({names[0]: short for short, names in owners.items() if len(names) == 1})


def edges_by_name(edges: Iterable[Entity]) -> dict[str, list[Entity]]:
    """Property edges by the IRIs in their labels, and those between properties by their ends."""
    found: dict[str, list[Entity]] = {}
    names: dict[str, list[str]] = {}
    for edge in edges:
        source, target, label = edge
        if label is None or target is None:
            continue
        if label not in names:
            names[label] = list(dict.fromkeys(names_in(label)))
        for name in (source.value, target.value) if label == SUB_PROPERTY else names[label]:
            found.setdefault(name, []).append(edge)
    return found


def spelled(term: Term) -> str:
    """The spelling of a term in labels."""
    return UNDEFINED if type(term) is BlankNode else str(term)


def names_in(label: str) -> list[str]:
    """The IRIs in a label."""
    return _NAME.findall(label)


def with_names(label: str, shown: Callable[[str], str]) -> str:
    """A label with each IRI in angle brackets replaced."""
    return _NAME.sub(lambda found: shown(found[1]), label)


def local_name(iri: str) -> str:
    """The part after the last # or /; the whole IRI if that part is empty."""
    return re.split(r"[#/]", iri)[-1] or iri
