"""A reasoner by its name, `auto` included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.protocol import Limits, Reasoner

__all__ = ["open_reasoner", "opened"]


def open_reasoner(name: str = "auto", limits: Limits | None = None) -> Reasoner:
    """The reasoner with this name. InputError if there is none, UnavailableError if it is not installed."""
    return AutoReasoner(limits) if name.casefold() == "auto" else hosted(name, limits)


@contextmanager
def opened(name: str = "auto", limits: Limits | None = None) -> Iterator[Reasoner]:
    """The reasoner with this name, closed at the end of the block."""
    reasoner = open_reasoner(name, limits)
    try:
        yield reasoner
    finally:
        reasoner.close()
