"""Class hierarchies as sets of facts, and how several of them differ.

Ontologies have tens of thousands of classes, and hierarchies of the same ontology are nearly equal. So nothing is
spelled out that they share: a class can only be disputed to be below another if a place where two hierarchies differ
lies at both or between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from kgprobe.graph.reachability import Condensed, Edges, reached
from kgprobe.graph.terms import OWL, NamedNode
from kgprobe.oracles.values import Fact
from kgprobe.reasoners.protocol import Hierarchy

__all__ = ["SUBCLASS", "UNSATISFIABLE", "disputed_subclasses", "hierarchy_facts"]

SUBCLASS = "subclass"
UNSATISFIABLE = "unsatisfiable class"
_EXTREMES = frozenset({OWL.Thing, OWL.Nothing})
_NOTHING: frozenset[NamedNode] = frozenset()
_IMPOSSIBLE = frozenset({OWL.Nothing})


def hierarchy_facts(hierarchy: Hierarchy) -> frozenset[Fact]:
    """All that a hierarchy says: each class below each other class, and the classes that can have no member."""
    view = _View(hierarchy)
    classes = view.name_of.keys() | hierarchy.unsatisfiable
    return frozenset(_fact(lower, upper) for lower in classes - _EXTREMES for upper in view.above(lower))


def disputed_subclasses(hierarchies: Mapping[str, Hierarchy]) -> dict[Fact, frozenset[str]]:
    """The facts that some of the hierarchies have and others lack, with those that have them.

    Facts that stand at the places where the hierarchies differ come before those that follow from them. If it is
    disputed whether a class can have members, nothing else is said about it: everything would follow.
    """
    shared = _shared(hierarchies)
    if len(shared) < 2:
        return {}
    views = [(_View(hierarchy), frozenset(systems)) for hierarchy, systems in shared]
    first, *others = (hierarchy for hierarchy, _ in shared)
    changed = set().union(*(_changed(first, other) for other in others))
    affected = set().union(*(view.at_or_below(changed) for view, _ in views)) - _EXTREMES
    uppers = [OWL.Nothing, *(set().union(*(view.at_or_above(changed) for view, _ in views)) - _EXTREMES)]
    numbers = {upper: number for number, upper in enumerate(uppers)}
    numbered = [(_Numbered(view, numbers, affected), systems) for view, systems in views]
    direct: dict[Fact, frozenset[str]] = {}
    derived: dict[Fact, frozenset[str]] = {}
    for lower in affected:
        beside = set().union(*(view.beside(lower) for view, _ in views)) if lower in changed else _NOTHING
        for number, systems in _disputed_above(lower, numbered):
            upper = uppers[number]
            (direct if upper in beside or upper == OWL.Nothing else derived)[_fact(lower, upper)] = systems
    return dict(sorted(direct.items())) | dict(sorted(derived.items()))


class _View:
    """A hierarchy with what is looked up in it."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy

    @cached_property
    def name_of(self) -> dict[NamedNode, NamedNode]:
        """The group of each class, by the name of the group."""
        return {member: name for name, members in self.hierarchy.groups.items() for member in members}

    @cached_property
    def _children(self) -> Mapping[NamedNode, list[NamedNode]]:
        children: dict[NamedNode, list[NamedNode]] = defaultdict(list)
        for name, parents in self.hierarchy.parents.items():
            for parent in parents:
                children[parent].append(name)
        return children

    def right_above(self, name: NamedNode) -> Iterable[NamedNode]:
        """The names of the groups directly above a group."""
        return self.hierarchy.parents.get(name, ())

    def _right_below(self, name: NamedNode) -> Iterable[NamedNode]:
        return self._children.get(name, ())

    def above(self, lower: NamedNode) -> frozenset[NamedNode]:
        """The classes above a class, equivalent ones included; owl:Nothing alone if it can have no member."""
        if lower in self.hierarchy.unsatisfiable:
            return _IMPOSSIBLE
        name = self.name_of.get(lower)
        if name is None:
            return _NOTHING
        groups, at_or_above = self.hierarchy.groups, reached([name], self.right_above)
        return frozenset().union(*(groups.get(each, {each}) for each in at_or_above)) - _EXTREMES - {lower}

    def beside(self, lower: NamedNode) -> frozenset[NamedNode]:
        """The classes that are equivalent to a class or directly above it."""
        name = self.name_of.get(lower)
        if name is None:
            return _NOTHING
        groups, parents = self.hierarchy.groups, self.hierarchy.parents.get(name, _NOTHING)
        return groups[name].union(*(groups.get(parent, {parent}) for parent in parents))

    def at_or_below(self, classes: Iterable[NamedNode]) -> set[NamedNode]:
        """These classes and all below them."""
        return self._with_reached(classes, self._right_below)

    def at_or_above(self, classes: Iterable[NamedNode]) -> set[NamedNode]:
        """These classes and all above them."""
        return self._with_reached(classes, self.right_above)

    def _with_reached(
        self, classes: Iterable[NamedNode], step: Callable[[NamedNode], Iterable[NamedNode]]
    ) -> set[NamedNode]:
        found = set(classes)
        names = {self.name_of[each] for each in found if each in self.name_of}
        groups = self.hierarchy.groups
        return found.union(*(groups.get(name, {name}) for name in reached(names, step)))


class _Numbered:
    """A hierarchy in which the classes above a class are one number: a bit for each of those that matter.

    Many classes can be below a place where hierarchies differ, and few are above it. Bit 0 is for owl:Nothing.
    """

    def __init__(self, view: _View, numbers: Mapping[NamedNode, int], classes: Iterable[NamedNode]) -> None:
        """`numbers` has the bits of the classes that matter; `classes` are those that are asked about."""
        self._view = view
        self._numbers = numbers
        names = list(reached({view.name_of[each] for each in classes if each in view.name_of}, view.right_above))
        self._places = {name: place for place, name in enumerate(names)}
        pairs = [(self._places[name], self._places[above]) for name in names for above in view.right_above(name)]
        self._condensed = Condensed(Edges.of(pairs, len(names)), range(len(names)))
        bits: dict[int, int] = {}
        for upper in numbers:
            place = self._places.get(view.name_of.get(upper, upper))
            if place is not None:
                bits[place] = bits.get(place, 0) | self._bit(upper)
        self._gathered = self._condensed.gathered(bits)

    def above(self, lower: NamedNode) -> int:
        """The classes above a class, equivalent ones included; owl:Nothing alone if it can have no member."""
        if lower in self._view.hierarchy.unsatisfiable:
            return 1
        name = self._view.name_of.get(lower)
        if name is None:
            return 0
        return self._gathered[self._condensed.component_of[self._places[name]]] & ~self._bit(lower)

    def _bit(self, upper: NamedNode) -> int:
        number = self._numbers.get(upper)
        return 0 if number is None else 1 << number


def _shared(hierarchies: Mapping[str, Hierarchy]) -> list[tuple[Hierarchy, list[str]]]:
    """The hierarchies that differ, each once, with the systems that have it."""
    shared: list[tuple[Hierarchy, list[str]]] = []
    for system, hierarchy in hierarchies.items():
        for known, systems in shared:
            if known is hierarchy or known == hierarchy:
                systems.append(system)
                break
        else:
            shared.append((hierarchy, [system]))
    return shared


def _changed(one: Hierarchy, other: Hierarchy) -> set[NamedNode]:
    """The classes whose group, or the groups directly above it, differ."""
    changed = set(one.unsatisfiable ^ other.unsatisfiable)
    for name in one.groups.keys() | other.groups.keys():
        members, others = one.groups.get(name, _NOTHING), other.groups.get(name, _NOTHING)
        if members != others or one.parents.get(name, _NOTHING) != other.parents.get(name, _NOTHING):
            changed |= members | others
    return changed


def _disputed_above(
    lower: NamedNode, views: list[tuple[_Numbered, frozenset[str]]]
) -> Iterator[tuple[int, frozenset[str]]]:
    """The numbers of the classes that only some put a class below, with those who do."""
    above = [(view.above(lower), systems) for view, systems in views]
    every = some = above[0][0]
    for bits, _ in above:
        every &= bits
        some |= bits
    disputed = some & ~every
    if some & 1:
        disputed &= 1
    while disputed:
        number = disputed.bit_length() - 1
        disputed ^= 1 << number
        yield number, frozenset().union(*(systems for bits, systems in above if bits >> number & 1))


def _fact(lower: NamedNode, upper: NamedNode) -> Fact:
    if upper == OWL.Nothing:
        return Fact(UNSATISFIABLE, f"{lower} ⊑ owl:Nothing")
    return Fact(SUBCLASS, f"{lower} ⊑ {upper}")
