"""What the paper's sets hold: a class, or a property edge between classes."""

from __future__ import annotations

from typing import NamedTuple

from kgprobe.graph.terms import Term

__all__ = ["Entity", "in_order"]


class Entity(NamedTuple):
    """⟨n, -, -⟩, the node of a class, or ⟨s, t, p⟩, a property edge.

    In a label every name is an IRI in angle brackets: `<http://example.org/hasTopping>[some]`. So a label never depends
    on what else is in an ontology, and those of two versions can be compared. `ShortNames` makes them short for people.
    """

    source: Term
    target: Term | None = None
    label: str | None = None


def in_order(entity: Entity) -> tuple[str, str, str]:
    """What to sort entities by: their source, target and label."""
    source, target, label = entity
    return source.value, "" if target is None else target.value, label or ""
