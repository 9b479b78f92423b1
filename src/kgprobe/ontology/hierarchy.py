"""The class hierarchy: which classes are above and below which.

Classes that are above each other are equivalent, and have the same parents and children. Everything is found by
walking the edges, so a hierarchy costs as much memory as it has edges, however deep it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

from kgprobe.graph.axioms.axiom_groups import Axiom
from kgprobe.graph.axioms.expression import split_annotations
from kgprobe.graph.terms import NamedNode, Term

__all__ = ["ClassHierarchy"]


class ClassHierarchy:
    """A hierarchy of named classes. All answers are in the order in which the classes were first named."""

    def __init__(self, subsumptions: Iterable[tuple[Term, Term]], classes: Iterable[Term] = ()) -> None:
        """From pairs of a class and one above it; `classes` may be in no pair."""
        numbers: dict[Term, int] = {}
        edges: list[tuple[int, int]] = []
        for lower, upper in subsumptions:
            edges.append((numbers.setdefault(lower, len(numbers)), numbers.setdefault(upper, len(numbers))))
        for each in classes:
            numbers.setdefault(each, len(numbers))
        self._terms = list(numbers)
        self._node_of, self._members = _condensed(len(numbers), edges)
        self._numbers = numbers
        above: list[dict[int, None]] = [{} for _ in self._members]
        for lower_number, upper_number in edges:
            lower_node, upper_node = self._node_of[lower_number], self._node_of[upper_number]
            if lower_node != upper_node:
                above[lower_node][upper_node] = None
        self._up = [list(nodes) for nodes in above]
        self._down = self._reversed()

    @classmethod
    def asserted(cls, axioms: Iterable[Axiom]) -> ClassHierarchy:
        """What SubClassOf and EquivalentClasses say about names; parents are all that are stated."""
        declared: list[Term] = []
        pairs: list[tuple[Term, Term]] = []
        for axiom in axioms:
            if axiom.expression is None:
                continue
            arguments = split_annotations(axiom.expression)[1]
            if axiom.head == "Declaration":
                kind, name = cast(tuple[str, Term], arguments[0])
                declared += [name] if kind == "Class" else []
            elif axiom.head in ("SubClassOf", "EquivalentClasses"):
                names: list[Term] = [argument for argument in arguments if type(argument) is NamedNode]
                if axiom.head == "EquivalentClasses":
                    pairs += pairwise([*names, *names[:1]])
                elif len(names) == 2:
                    pairs.append((names[0], names[1]))
        return cls(pairs, declared)

    @classmethod
    def inferred(cls, subsumptions: Iterable[tuple[Term, Term]], classes: Iterable[Term] = ()) -> ClassHierarchy:
        """What a reasoner found, all of it or the direct part; parents are the direct ones."""
        found = cls(subsumptions, classes)
        found._reduce()
        return found

    @property
    def classes(self) -> tuple[Term, ...]:
        return tuple(self._terms)

    def __contains__(self, term: object) -> bool:
        return term in self._numbers

    def equivalents(self, term: Term) -> tuple[Term, ...]:
        """The other classes that are the same as this one."""
        return tuple(each for each in self._named([self._node(term)]) if each != term)

    def parents(self, term: Term) -> tuple[Term, ...]:
        """The classes right above."""
        return self._named(self._up[self._node(term)])

    def children(self, term: Term) -> tuple[Term, ...]:
        """The classes right below."""
        return self._named(self._down[self._node(term)])

    def ancestors(self, term: Term) -> tuple[Term, ...]:
        """All classes above, without the equivalent ones."""
        return self._named(_reached(self._up, self._node(term)))

    def descendants(self, term: Term) -> tuple[Term, ...]:
        """All classes below, without the equivalent ones."""
        return self._named(_reached(self._down, self._node(term)))

    def roots(self) -> tuple[Term, ...]:
        """The classes that nothing is above."""
        return self._named(node for node, above in enumerate(self._up) if not above)

    def _node(self, term: Term) -> int:
        return self._node_of[self._numbers[term]]

    def _named(self, nodes: Iterable[int]) -> tuple[Term, ...]:
        return tuple(self._terms[number] for number in sorted(n for node in nodes for n in self._members[node]))

    def _reversed(self) -> list[list[int]]:
        down: list[list[int]] = [[] for _ in self._up]
        for node, above in enumerate(self._up):
            for upper in above:
                down[upper].append(node)
        return down

    def _reduce(self) -> None:
        """Drops each edge to a class that is also above another parent."""
        reduced = []
        for above in self._up:
            kept: list[int] = []
            covered: set[int] = set()
            for upper in sorted(above):  # the nearest first, see `_condensed`
                if upper not in covered:
                    kept.append(upper)
                    if len(above) > 1:
                        _reach(self._up, upper, covered)
            reduced.append(kept)
        self._up = reduced
        self._down = self._reversed()


def _reached(edges: list[list[int]], start: int) -> set[int]:
    found: set[int] = set()
    _reach(edges, start, found)
    return found


def _reach(edges: list[list[int]], start: int, found: set[int]) -> None:
    """Adds all that can be reached to what was found before."""
    pending = [start]
    while pending:
        for node in edges[pending.pop()]:
            if node not in found:
                found.add(node)
                pending.append(node)


def _condensed(count: int, edges: list[tuple[int, int]]) -> tuple[list[int], list[list[int]]]:
    """The strongly connected component of each number, and the numbers in each component (Kosaraju's algorithm).

    A component has a smaller number than those above it.
    """
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for lower, upper in edges:
        above[lower].append(upper)
        below[upper].append(lower)
    component = [-1] * count
    members: list[list[int]] = []
    for start in reversed(_finished(above)):
        if component[start] < 0:
            component[start] = len(members)
            found = [start]
            for node in found:
                for each in below[node]:
                    if component[each] < 0:
                        component[each] = len(members)
                        found.append(each)
            members.append(found)
    return component, members


def _finished(edges: list[list[int]]) -> list[int]:
    """The nodes in the order in which a depth-first walk leaves them."""
    order: list[int] = []
    seen = [False] * len(edges)
    for start in range(len(edges)):
        if seen[start]:
            continue
        seen[start] = True
        walk: list[tuple[int, Iterator[int]]] = [(start, iter(edges[start]))]
        while walk:
            node, rest = walk[-1]
            following = next((each for each in rest if not seen[each]), None)
            if following is None:
                order.append(node)
                walk.pop()
            else:
                seen[following] = True
                walk.append((following, iter(edges[following])))
    return order
