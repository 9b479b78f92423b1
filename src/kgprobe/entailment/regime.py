"""The entailment regimes: which triples a system infers from a graph."""

from __future__ import annotations

from enum import StrEnum

from kgprobe.errors import KgprobeError

__all__ = ["Regime", "UndecidedError"]


class Regime(StrEnum):
    """Which triples a system sees in addition to the stated ones."""

    NONE = "none"  # nothing else
    RDFS = "rdfs"  # the RDFS rules for subclasses, subproperties, domains and ranges
    RL = "rl"  # the rules of OWL 2 RL/RDF
    DL = "dl"  # the class hierarchy that an OWL 2 DL reasoner finds, and the types that follow from it


class UndecidedError(KgprobeError):
    """No reasoner or rule can reliably decide what follows from a graph."""
