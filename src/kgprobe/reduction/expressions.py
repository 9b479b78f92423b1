"""Makes class expressions smaller: a part takes the place of the whole, and an operand goes.

This changes axioms rather than removing them, so that the result need not be a part of the graph that it came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from kgprobe.graph.axioms.expression import Argument, Expression, OntologyDocument, split_annotations
from kgprobe.graph.axioms.to_triples import triples
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, BlankNode, Triple
from kgprobe.ontology.axioms import Axiom, AxiomView
from kgprobe.reduction.problem import Problem

__all__ = ["smaller_expressions"]


# Of their arguments, one can be left out.
_LISTS = frozenset(
    {
        *("ObjectIntersectionOf", "ObjectUnionOf", "ObjectOneOf", "ObjectPropertyChain"),
        *("DataIntersectionOf", "DataUnionOf", "DataOneOf"),
    }
)
_MANY = frozenset(
    {
        *("EquivalentClasses", "DisjointClasses", "DisjointObjectProperties", "DisjointDataProperties"),
        *("EquivalentObjectProperties", "EquivalentDataProperties", "SameIndividual", "DifferentIndividuals"),
    }
)
# Of these, each argument can stand for the whole.
_OF_OPERANDS = frozenset(
    {
        *("ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf", "ObjectInverseOf"),
        *("DataIntersectionOf", "DataUnionOf", "DataComplementOf"),
    }
)
# Of these, the last argument can, if it is a class: where it comes.
_RESTRICTIONS = {
    **dict.fromkeys(("ObjectSomeValuesFrom", "ObjectAllValuesFrom"), 2),
    **dict.fromkeys(("ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"), 3),
}


def smaller_expressions(problem: Problem, graph: Graph) -> Graph:
    """A graph that still fails, and none of whose expressions can be made smaller in one step."""
    problem.phase = "expressions"
    place = 0
    while (number := problem.first(_from(graph, place, problem.stays))) is not None:
        simpler = next(islice(_from(graph, place, problem.stays), number, None))
        problem.trail.restate(graph, simpler)
        graph = simpler
        place += number
    return graph


def _from(graph: Graph, place: int, stays: frozenset[Triple]) -> Iterator[Graph]:
    """All simpler graphs, beginning with that at a place: what did not help a moment ago is tried again at last."""
    return chain(islice(_simpler_graphs(graph, stays), place, None), islice(_simpler_graphs(graph, stays), place))


def _simpler_graphs(graph: Graph, stays: frozenset[Triple]) -> Iterator[Graph]:
    labels = {term.value for term in graph.terms() if type(term) is BlankNode}
    for axiom in AxiomView(graph):
        if axiom.expression is None or len(axiom.triples) == 1 or not stays.isdisjoint(axiom.triples):
            continue
        for tree in _simpler(axiom.expression):
            candidate = _restated(graph, axiom, tree, labels)
            if len(candidate) < len(graph):
                yield candidate


def _restated(graph: Graph, axiom: Axiom, tree: Expression, labels: set[str]) -> Graph:
    """The graph with another axiom in the place of this one."""
    candidate = graph.copy()
    for triple in axiom.triples:
        candidate.remove(triple)
    for statement in triples(OntologyDocument(axioms=(tree,)), header=False, reserved=labels):
        candidate.add(Triple(*statement))
    return candidate


def _simpler(tree: Expression) -> Iterator[Expression]:
    """The tree with one thing in it made smaller, the largest steps first."""
    # Not recursive: a tree from an untrusted file can be deeper than Python's stack.
    nodes: list[tuple[Expression, int, int]] = [(tree, -1, 0)]
    for number, (node, _, _) in enumerate(nodes):
        nodes.extend((part, number, place) for place, part in enumerate(node.args) if type(part) is Expression)
    for number, (node, _, _) in enumerate(nodes):
        for smaller in _steps(node):
            current, above = smaller, number
            while nodes[above][1] >= 0:
                _, parent, place = nodes[above]
                around = nodes[parent][0]
                current, above = _with_argument(around, place, current), parent
            yield current


def _steps(tree: Expression) -> Iterator[Expression]:
    """The tree with one of its own arguments smaller or gone."""
    head = tree.head
    annotations, arguments = split_annotations(tree)
    places = range(len(annotations), len(tree.args))
    for place in places:
        argument = tree.args[place]
        if type(argument) is Expression:
            for part in _in_place_of(argument, is_filler=head in _RESTRICTIONS):
                yield _with_argument(tree, place, part)
    if head in _MANY | _LISTS and len(arguments) > 2:  # of two, one stands for the whole
        for place in places:
            yield _with_argument(tree, place)


def _with_argument(tree: Expression, place: int, *replacement: Argument) -> Expression:
    """The expression with another argument at this place, or without it."""
    return Expression(tree.head, *tree.args[:place], *replacement, *tree.args[place + 1 :])


def _in_place_of(tree: Expression, *, is_filler: bool) -> Iterator[Argument]:
    """What can stand where this expression stands: one of its parts or, after a property, just anything."""
    head = tree.head
    if head in _OF_OPERANDS:
        yield from (part for part in tree.args if part != OWL.Thing)
    elif head in _RESTRICTIONS and len(tree.args) >= _RESTRICTIONS[head] and tree.args[-1] != OWL.Thing:
        yield tree.args[-1]
    if is_filler and head != "ObjectInverseOf":  # that is a property
        yield OWL.Thing
