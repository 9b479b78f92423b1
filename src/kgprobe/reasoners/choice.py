"""A reasoner by its name, `auto` included."""

from __future__ import annotations

from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.protocol import Limits, Reasoner

__all__ = ["open_reasoner"]


def open_reasoner(name: str = "auto", limits: Limits | None = None) -> Reasoner:
    """The reasoner with this name. InputError if there is none, UnavailableError if it is not installed."""
    return AutoReasoner(limits) if name.casefold() == "auto" else hosted(name, limits)
