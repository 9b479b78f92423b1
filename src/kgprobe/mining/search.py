"""The search for rules in graphs: all rules of the language that are frequent and sure enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.mining.assembly import Assembly
from kgprobe.mining.binary_heads import BinaryHeads
from kgprobe.mining.budget import Budget, UsedUpError
from kgprobe.mining.findings import Finding, Thresholds
from kgprobe.mining.index import CONSTANTS, Index
from kgprobe.mining.paths import Paths
from kgprobe.mining.rules import MinedRules, Rule
from kgprobe.mining.shared_pairs import SharedPairs
from kgprobe.mining.unary_heads import UnaryHeads

__all__ = ["EXAMPLES", "MOST_ATOMS", "mine_graph"]

EXAMPLES = 3
MOST_ATOMS = 3


def mine_graph(
    graph: Graph, thresholds: Thresholds, *, max_atoms: int, constants: str, examples: int, budget: Budget
) -> MinedRules:
    """The rules of one graph, in no particular order."""
    rules: list[Rule] = []
    steps: Iterator[tuple[str, Iterable[Finding]]] = iter(())
    index = Index(graph, constants=constants)
    assembly = Assembly(index, examples=examples, keep_redundant=thresholds.keep_redundant, budget=budget)
    shared = SharedPairs(index, budget)
    unary, binary = UnaryHeads(index, thresholds, shared, budget), BinaryHeads(index, thresholds, shared, budget)
    paths = Paths(index, thresholds, binary.heads, budget)
    all_steps = [unary.one_set(), binary.one_relation()]
    if max_atoms >= 3:
        all_steps += [unary.two_sets(), unary.related_twice()]
        all_steps += [unary.related_to_member(n) for n in range(len(index.relations))]
        all_steps += [binary.two_relations(), binary.relation_and_set()]
        all_steps += [binary.two_sets(n) for n in binary.heads]
        all_steps += [paths.starting_with(n) for n in range(len(index.relations))]
    for step in all_steps:
        for finding in step:
            rules.extend(assembly.rules(finding))
    return MinedRules(tuple(rules))
