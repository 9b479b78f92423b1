"""Units of triples: which triples and blank nodes an axiom uses, and whether it may have them for itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgprobe.graph.axioms.axiom_patterns import Pattern
from kgprobe.graph.axioms.expression import Argument, Expression
from kgprobe.graph.axioms.grammar import DEEPEST
from kgprobe.graph.axioms.node_definitions import Definition, Definitions, Item, Slot
from kgprobe.graph.axioms.triple_index import TripleIndex
from kgprobe.graph.terms import BlankNode, Term

__all__ = ["Unit", "Units"]


class Unit:
    """What one axiom is made of."""

    __slots__ = ("individuals", "nodes", "triples")

    def __init__(
        self, triples: Iterable[int] = (), nodes: Iterable[BlankNode] = (), individuals: Iterable[Term] = ()
    ) -> None:
        self.triples = set(triples)
        """The numbers of its triples."""
        self.nodes = set(nodes)
        """The blank nodes that only serve to write it down."""
        self.individuals = set(individuals)
        """The blank nodes that it speaks about."""


class Units:
    """The units accepted so far, and the step from a pattern to a whole tree."""

    def __init__(self, index: TripleIndex, definitions: Definitions) -> None:
        self._index = index
        self._definitions = definitions
        self._taken: set[BlankNode] = set()
        self.used: set[int] = set()

    def accept(self, unit: Unit) -> bool:
        """Takes the unit if all that is said about its blank nodes is in it, and OWL can say all of it."""
        if self._index.opaque and not unit.triples.isdisjoint(self._index.opaque):
            return False
        if unit.nodes:
            if not unit.nodes.isdisjoint(self._taken) or not unit.nodes.isdisjoint(unit.individuals):
                return False
            for node in unit.nodes:
                if not unit.triples.issuperset(self._index.mentions[node]):
                    return False
            self._taken |= unit.nodes
        self.used |= unit.triples
        return True

    def expand(self, pattern: Pattern, unit: Unit) -> Sequence[Argument] | None:
        """The pattern's arguments with the expression of each blank node in its place; adds to the unit."""
        trees: dict[BlankNode, Expression] = {}
        pending = [(slot, 1) for slot in self._slots(pattern.items, unit)]
        order: list[tuple[BlankNode, Definition]] = []
        while pending:
            slot, depth = pending.pop()
            definition = self._definitions.of(slot.node)
            if definition is None or definition.role != slot.role or depth > DEEPEST or slot.node in unit.nodes:
                return None
            ways = definition.spare + self._index.parents.get(slot.node, 0)
            if ways != (2 if depth == 1 and slot.node in pattern.shared else 1):
                return None
            unit.nodes.add(slot.node)
            unit.nodes.update(definition.nodes)
            unit.triples.update(definition.triples)
            order.append((slot.node, definition))
            pending += [(inner, depth + 1) for inner in self._slots(definition.arguments, unit)]
        for node, definition in reversed(order):  # children come after their parents
            trees[node] = Expression(definition.head, *[_filled(item, trees) for item in definition.arguments])
        arguments = [_filled(item, trees) for item in pattern.items]
        return arguments if pattern.arrange is None else pattern.arrange(arguments)

    @staticmethod
    def _slots(items: list[Item], unit: Unit) -> list[Slot]:
        """The places for expressions among these; adds the individuals to the unit."""
        slots = []
        for item in items:
            if type(item) is Slot:
                slots.append(item)
            elif type(item) is BlankNode:
                unit.individuals.add(item)
        return slots


def _filled(item: Item, trees: dict[BlankNode, Expression]) -> Argument:
    return trees[item.node] if type(item) is Slot else item
