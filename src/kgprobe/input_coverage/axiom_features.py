"""Features that are read from the axioms of a graph: kinds of axioms, and shapes of class expressions.

After a change, only the axioms that it touches are read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.input_coverage.feature_set import Elementary, Find
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.owl.grammar import AXIOMS, CLASS_EXPRESSIONS, DATA_RANGES, operands_of
from kgprobe.rdf.graph import Graph

__all__ = ["AxiomFeatures", "axiom_kinds", "expression_shapes"]

_EXPRESSIONS = frozenset((*CLASS_EXPRESSIONS, *DATA_RANGES))


@dataclass(frozen=True)
class AxiomFeatures(Elementary):
    """Features that each axiom has or has not, by itself."""

    name: str
    features: Sequence[str]
    of_axiom: Callable[[Expression], Iterator[str]]

    @property
    def size(self) -> int:
        return len(self.features)

    def finder(self, seed: Graph) -> Find:
        view = AxiomView(seed)
        times: Counter[str] = Counter()
        for axiom in view:
            times.update(self._of(axiom))

        def find(graph: Graph) -> Iterator[str]:
            change = view.follow(graph)
            for axiom in change.gone:
                times.subtract(self._of(axiom))
            for axiom in change.come:
                times.update(self._of(axiom))
            return (feature for feature in self.features if times[feature] > 0)

        return find

    def _of(self, axiom: Axiom) -> list[str]:
        return [] if axiom.expression is None else list(self.of_axiom(axiom.expression))


def axiom_kinds() -> AxiomFeatures:
    """The kinds of axioms in OWL 2, by their names in functional syntax."""
    return AxiomFeatures("axioms", AXIOMS, lambda axiom: iter([axiom.head]))


def expression_shapes() -> AxiomFeatures:
    """The shapes of class expressions in OWL 2: each constructor, and each directly inside another.

    `ObjectSomeValuesFrom` has depth 1, and `ObjectSomeValuesFrom(ObjectOneOf)` depth 2; names do not matter.
    """
    nested = [f"{outer}({inner})" for outer in CLASS_EXPRESSIONS for inner in operands_of(outer)]
    return AxiomFeatures("shapes", (*CLASS_EXPRESSIONS, *nested), _shapes)


def _shapes(axiom: Expression) -> Iterator[str]:
    waiting: list[Argument] = list(axiom.args)
    while waiting:
        part = waiting.pop()
        if type(part) is not Expression or is_headed(part, "Annotation"):
            continue
        if part.head in _EXPRESSIONS:
            yield part.head
            for inner in part.args:
                if type(inner) is Expression and inner.head in _EXPRESSIONS:
                    yield f"{part.head}({inner.head})"
        waiting.extend(part.args)
