"""Removes axioms: each is there as a whole or not at all.

A name's declarations come and go with the axioms that use the name, because an axiom without them may be read as
another one. Which of the declarations are needed is for a later pass to find out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from kgprobe.graph.axioms.entity_kinds import ANNOTATION, is_reserved
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Term, Triple
from kgprobe.ontology.axioms import Axiom, AxiomView
from kgprobe.reduction.needed import needed
from kgprobe.reduction.problem import Problem
from kgprobe.reduction.relevance import Relevance, names_in
from kgprobe.reduction.subgraphs import with_only

__all__ = ["fewer_axioms", "is_idle"]

# What has no meaning for a reasoner is rarely the reason.
_IDLE_FACTOR = 0.05
_IDLE = frozenset(
    {
        *("Declaration", "Ontology", "Import"),
        *("SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"),
    }
)


def fewer_axioms(
    problem: Problem, graph: Graph, *, hints: Collection[Term] = (), changed: Collection[Triple] = ()
) -> Graph:
    """A graph with as few of the axioms as the failure needs. `hints` are names, and `changed` triples, near to it."""
    problem.phase = "axioms"
    axioms = list(AxiomView(graph))
    groups = _Groups(axioms)
    new = frozenset(changed)
    near = [number for number, axiom in enumerate(axioms) if not new.isdisjoint(axiom.triples)]
    relevance = Relevance(groups.names, known=hints, near=near, factor=groups.factor)

    def graph_of(numbers: Iterable[int]) -> Graph:
        return with_only(graph, groups.triples(numbers))

    def verdicts(sets: Sequence[Sequence[int]]) -> list[bool]:
        return problem.verdicts([graph_of(numbers) for numbers in sets])

    found = needed(len(axioms), verdicts, relevance.weights, batch=problem.batch)
    return graph_of(found)


def is_idle(axiom: Axiom, annotation_properties: Collection[Term]) -> bool:
    """Whether an axiom has no meaning of its own: a declaration, an annotation, the ontology's name."""
    if axiom.head != "AnnotationAssertion":
        return axiom.head in _IDLE
    # In data that declares nothing, every triple looks like an annotation.
    predicates = [triple.predicate for triple in axiom.triples]
    return any(predicate in annotation_properties or is_reserved(predicate) for predicate in predicates)


class _Groups:
    """The axioms by number, the names in each, and which declarations each needs beside it."""

    def __init__(self, axioms: Sequence[Axiom]) -> None:
        self._axioms = axioms
        self.names = [names_in(axiom.triples) for axiom in axioms]
        self._declaring: defaultdict[Term, list[int]] = defaultdict(list)
        annotation_properties: set[Term] = set()
        for number, axiom in enumerate(axioms):
            entity = axiom.expression[-1] if axiom.expression is not None and axiom.head == "Declaration" else None
            if type(entity) is tuple and type(entity[1]) is NamedNode:
                self._declaring[entity[1]].append(number)
                if entity[0] == ANNOTATION:
                    annotation_properties.add(entity[1])
        self._factors = [
            _IDLE_FACTOR if is_idle(axiom, annotation_properties) else rarity
            for axiom, rarity in zip(axioms, _rarities(axioms), strict=True)
        ]

    def factor(self, number: int) -> float:
        """How likely an axiom is to matter by what it is, whichever names it has."""
        return self._factors[number]

    def triples(self, numbers: Iterable[int]) -> set[Triple]:
        """The triples of these axioms and of the declarations of the names in them."""
        chosen = set(numbers)
        for name in set().union(*(self.names[number] for number in chosen)):
            chosen.update(self._declaring.get(name, ()))
        return {triple for number in chosen for triple in self._axioms[number].triples}


def _rarities(axioms: Sequence[Axiom]) -> list[float]:
    """A number around 1 for each axiom: half of it is the same for all, and half is divided among shapes of axioms.

    Software fails over what is unusual more often than over what its authors have met a thousand times.
    """
    shapes = [_shape(axiom) for axiom in axioms]
    frequency = Counter(shapes)
    share = len(axioms) / (2 * len(frequency)) if frequency else 0.0
    return [0.5 + share / frequency[shape] for shape in shapes]


def _shape(axiom: Axiom) -> frozenset[str]:
    """The constructs that an axiom uses, and the built-in classes and properties in it."""
    found: set[str] = set()
    pending: list[object] = [axiom.expression]
    while pending:
        part = pending.pop()
        if type(part) is tuple:
            pending += part
        elif isinstance(part, str) or (type(part) is NamedNode and is_reserved(part)):
            found.add(str(part))
    return frozenset(found)
