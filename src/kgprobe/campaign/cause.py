"""What kinds of axioms a reduced graph has: cases of one finding with the same are most likely one bug."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.graph import Graph
from kgprobe.ontology.axioms import AxiomView

__all__ = ["cause_of"]

_SAYING_NOTHING = {"Declaration", "Ontology", "AnnotationAssertion", "Import"}


def cause_of(graph: Graph) -> str:
    """The kinds of axioms, each with the kinds of expressions in it; how many triples, for a graph that has none."""
    kinds = {" ".join(_kinds(axiom.expression)) for axiom in AxiomView(graph) if axiom.expression is not None}
    told = sorted(kind for kind in kinds if kind.split()[0] not in _SAYING_NOTHING)
    return " + ".join(told) if told else f"{len(graph)} triples"


def _kinds(expression: Expression) -> Iterator[str]:
    yield expression.head
    inner = sorted({kind for part in expression.args if isinstance(part, Expression) for kind in _kinds(part)})
    yield from inner
