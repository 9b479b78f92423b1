"""What OWL 2 DL and EL demand of object properties as a whole, asked of the neighbourhood of a few of them.

A FILTER can ask these questions by IRIs in kgprobe's namespace. An operator that asks before it adds an axiom keeps
an ontology in its profile.
"""

from __future__ import annotations

from kgprobe.graph.patterns.filters import Test

__all__ = ["TESTS"]

TESTS: dict[str, Test] = {}
