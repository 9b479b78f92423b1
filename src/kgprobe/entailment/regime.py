"""The entailment regimes: what a system takes to be true of a graph."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Regime"]


class Regime(StrEnum):
    """Which triples a system sees, beside those that are stated."""

    NONE = "none"  # nothing else
    RDFS = "rdfs"  # what RDFS says of subclasses, subproperties, domains and ranges
    RL = "rl"  # the rules of OWL 2 RL/RDF
    DL = "dl"  # the class hierarchy that a reasoner for OWL 2 DL finds, and the types that follow from it
