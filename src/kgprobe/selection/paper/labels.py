"""Labels of property edges for people: short names where they cannot be mistaken, as in `hasTopping[some]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kgprobe.graph.terms import BlankNode, Term
from kgprobe.selection.paper.entity import Entity

__all__ = [
    "SUB_PROPERTY",
    "UNDEFINED",
    "ShortNames",
    "edges_by_name",
    "local_name",
    "names_in",
    "short_names",
    "spelled",
    "with_names",
]

SUB_PROPERTY = "subPropertyOf"
UNDEFINED = "[]"  # a blank node that does not say what it is

_NAME = re.compile(r'<([^<>"{}|^`\\\x00-\x20]+)>')


@dataclass(frozen=True)
class ShortNames:
    """What to show for the names in labels. A name that is not known here is shown in full."""

    shown: Mapping[str, str]

    def label(self, label: str) -> str:
        """The label as people read it."""
        return with_names(label, lambda name: self.shown.get(name, name))

    def row(self, entity: Entity) -> list[str | None]:
        """An entity for a machine: its source, its target or None, its label or None."""
        source, target, label = entity
        return [source.value, None if target is None else target.value, None if label is None else self.label(label)]


def short_names(*edges: Iterable[Entity]) -> ShortNames:
    """The short names of all names in the labels of these edges. One that two names share stands for neither."""
    labels = {edge.label for some in edges for edge in some if edge.label is not None}
    owners: dict[str, list[str]] = {}
    for name in {name for label in labels for name in names_in(label)}:
        owners.setdefault(local_name(name), []).append(name)
    return ShortNames({alike[0]: short for short, alike in owners.items() if len(alike) == 1})


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
    """A term as it stands in a label."""
    return UNDEFINED if type(term) is BlankNode else str(term)


def names_in(label: str) -> list[str]:
    """The IRIs in a label."""
    return _NAME.findall(label)


def with_names(label: str, shown: Callable[[str], str]) -> str:
    """A label with something else for each IRI in angle brackets."""
    return _NAME.sub(lambda found: shown(found[1]), label)


def local_name(iri: str) -> str:
    """What follows the last # or /, or all of it if nothing does."""
    return re.split(r"[#/]", iri)[-1] or iri
