"""The paper's algorithm, for many changes of one ontology."""

from __future__ import annotations

from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.paper.algorithm import affected, select
from kgprobe.selection.paper.matrix import matrix
from kgprobe.selection.paper.model import ontology_graph
from kgprobe.selection.tests import Suite

__all__ = ["PaperMode"]


class PaperMode:
    """Selects tests for a new version. The old version and the tests are looked at once."""

    def __init__(self, old: Graph, suite: Suite, reasoner: Reasoner | None = None) -> None:
        self._reasoner = reasoner
        self._old = ontology_graph(old, class_edges(old, reasoner))
        self._matrix = matrix(suite.tests, self._old)

    def __call__(self, new: Graph) -> frozenset[str]:
        """The names of the tests to run."""
        sets = affected(self._old, ontology_graph(new, class_edges(new, self._reasoner)))
        return frozenset(each.test.name for each in select(sets.affect, self._matrix))
