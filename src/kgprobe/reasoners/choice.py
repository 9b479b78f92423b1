"""A reasoner by its name, `auto` included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["open_reasoner", "opened"]


def open_reasoner(name: str = "auto", limits: Limits | None = None, *, verbatim: bool = False) -> Reasoner:
    """The reasoner with this name. InputError if none has it, UnavailableError if it is not installed.

    A `verbatim` reasoner gets only the statements of the ontology; `auto` rewrites them in any case.
    """
    return AutoReasoner(limits) if name.casefold() == "auto" else hosted(name, limits, verbatim=verbatim)


@contextmanager
def opened(name: str = "auto", limits: Limits | None = None) -> Iterator[Reasoner]:
    """The reasoner with this name, closed at the end of the block."""
    reasoner = open_reasoner(name, limits)
    try:
        yield reasoner
    finally:
        reasoner.close()
