"""Undoes the changes that a mutant was made with, as long as it still fails.

Changes are undone in groups: those that touch the same axiom, or that share a blank node, make sense only together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from kgprobe.owl.axioms import AxiomView
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import BlankNode, Term, Triple
from kgprobe.reduction.graph_problem import GraphProblem
from kgprobe.reduction.problem import Steps
from kgprobe.reduction.search import Relevance, names_in, needed

__all__ = ["change_groups", "changes_between", "fewer_changes", "fewer_removed"]

# A removed triple causes a failure less often than a new one.
_ONLY_REMOVED = 0.5


def changes_between(seed: Graph, graph: Graph) -> Delta:
    """The changes between two graphs in which unchanged blank nodes have the same labels."""
    if seed.table is graph.table:
        mine, theirs = seed.changed_keys, graph.changed_keys
        touched = {*mine, *theirs}
        return Delta(
            removed=[seed.triple(keys) for keys in touched if seed.has(*keys) and not graph.has(*keys)],
            added=[graph.triple(keys) for keys in touched if graph.has(*keys) and not seed.has(*keys)],
        )
    return Delta(
        removed=[triple for triple in seed if triple not in graph],
        added=[triple for triple in graph if triple not in seed],
    )


def fewer_changes(
    problem: GraphProblem, seed: Graph, delta: Delta, *, hints: Collection[Term] = ()
) -> Steps[Graph, Delta]:
    """Only the changes that the failure needs. The seed graph with all of them is known to fail."""
    problem.phase = "mutations"
    groups = change_groups(seed, delta)
    names = [names_in(group.removed + group.added) for group in groups]

    def mutant(numbers: Sequence[int]) -> Graph:
        graph = seed.copy()
        graph.apply(_together(groups[number] for number in numbers))
        return graph

    def verdicts(sets: Sequence[Sequence[int]]) -> Steps[Graph, list[bool]]:
        return problem.verdicts([mutant(numbers) for numbers in sets])

    def factor(number: int) -> float:
        return 1.0 if groups[number].added else _ONLY_REMOVED

    relevance = Relevance(names, known=hints, factor=factor)
    found = yield from needed(len(groups), verdicts, relevance.weights, batch=problem.batch)
    return _together(groups[number] for number in found)


def fewer_removed(problem: GraphProblem, graph: Graph) -> Steps[Graph, bool]:
    """Leave removed triples out of both graphs of a pair, if the difference stays; whether any could be left out."""
    problem.phase = "removed triples"
    is_smaller = False
    tried = 0
    while problem.changes is not None and tried < len(problem.changes.removed):
        changes = problem.changes
        fewer = Delta(changes.removed[:tried] + changes.removed[tried + 1 :], changes.added)
        problem.changes = fewer
        try:
            fails = yield from problem.fails(graph)
        finally:
            problem.changes = changes
        tried = 0 if fails else tried + 1
        if fails:
            is_smaller = True
            yield from problem.compare(graph, fewer)
    return is_smaller


def change_groups(seed: Graph, delta: Delta) -> list[Delta]:
    """The delta in parts that can be applied independently."""
    mutant = seed.copy()
    mutant.apply(delta)
    before, after = AxiomView(seed), AxiomView(mutant)
    leader: dict[object, object] = {}

    def find(item: object) -> object:
        while leader.setdefault(item, item) != item:
            item = leader[item]
        return item

    changed = [(triple, before) for triple in delta.removed] + [(triple, after) for triple in delta.added]
    for triple, view in changed:
        # All triples of an axiom are joined with its first triple, and with their blank nodes.
        axiom = view.axiom_of(triple)
        blanks = (
            [name for name in names_in(axiom.triples) if isinstance(name, BlankNode)] if len(axiom.triples) > 1 else []
        )
        blanks += [name for name in names_in([triple]) if isinstance(name, BlankNode)]
        for item in (("axiom", axiom.triples[0]), *blanks):
            leader[find(item)] = find(triple)
    parts: defaultdict[object, list[Triple]] = defaultdict(list)
    for triple, _ in changed:
        parts[find(triple)].append(triple)
    gone = frozenset(delta.removed)
    return [
        Delta([each for each in part if each in gone], [each for each in part if each not in gone])
        for part in parts.values()
    ]


def _together(deltas: Iterable[Delta]) -> Delta:
    several = list(deltas)
    return Delta(
        removed=[triple for delta in several for triple in delta.removed],
        added=[triple for delta in several for triple in delta.added],
    )
