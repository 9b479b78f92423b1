"""Answers of reasoners that can be compared."""

from __future__ import annotations

from kgprobe.reasoners.protocol import Answer, Hierarchy

__all__ = ["comparable"]


def comparable(answer: Answer) -> object:
    """The value of an answer; for a hierarchy, its subclass pairs and its unsatisfiable classes."""
    value = answer.value
    if not isinstance(value, Hierarchy):
        return value
    names = {name for members in value.groups.values() for name in members}
    below = frozenset((lower, upper) for lower in names for upper in names if value.is_below(lower, upper))
    return below, value.unsatisfiable
