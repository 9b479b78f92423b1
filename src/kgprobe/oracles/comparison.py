"""Answers of several systems compared as sets of facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from kgprobe.oracles.hierarchies import disputed_subclasses, hierarchy_facts
from kgprobe.oracles.values import Fact, value_facts
from kgprobe.reasoners.protocol import Hierarchy

__all__ = ["disputed", "facts"]


def facts(value: Any, question: str = "") -> frozenset[Fact]:
    """All that an answer says. Of a large hierarchy that is a lot: `disputed` compares without spelling it out."""
    return hierarchy_facts(value) if isinstance(value, Hierarchy) else value_facts(value, question)


def disputed(values: Mapping[str, Any], question: str = "") -> dict[Fact, frozenset[str]]:
    """The facts that some of the answers have and others lack, with the systems that have them, most telling first."""
    hierarchies = {system: value for system, value in values.items() if isinstance(value, Hierarchy)}
    if len(hierarchies) == len(values):
        return disputed_subclasses(hierarchies)
    claimed: dict[Fact, set[str]] = defaultdict(set)
    for system, value in values.items():
        for fact in facts(value, question):
            claimed[fact].add(system)
    return {fact: frozenset(claimed[fact]) for fact in sorted(claimed) if len(claimed[fact]) < len(values)}
