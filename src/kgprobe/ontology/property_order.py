"""Which object properties imply which, and what follows for OWL 2 DL: simple properties, and chains without circles.

This is section 11 of the structural specification of OWL 2. A property is a name, or `ObjectInverseOf(name)`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression, is_headed, split_annotations
from kgprobe.graph.terms import OWL

__all__ = ["Property", "PropertyOrder", "inverse"]

Property: TypeAlias = Argument
_Edges: TypeAlias = "dict[Property, set[Property]]"


def inverse(prop: Property) -> Property:
    """The inverse of a property."""
    return prop.args[0] if type(prop) is Expression else Expression("ObjectInverseOf", prop)


class PropertyOrder:
    """The order of the properties in some axioms."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._implied: _Edges = defaultdict(set)
        self._later: _Edges = defaultdict(set)
        composite: set[Property] = {OWL.topObjectProperty, OWL.bottomObjectProperty}
        for axiom in axioms:
            head, (_, arguments) = axiom.head, split_annotations(axiom)
            for lesser, greater in _implications(head, arguments):
                self._implied[lesser].add(greater)
                self._implied[inverse(lesser)].add(inverse(greater))
            if head == "TransitiveObjectProperty":
                composite.add(arguments[0])
            elif head == "SubObjectPropertyOf" and is_headed(arguments[0], "ObjectPropertyChain"):
                chain, implied = arguments[0], arguments[1]
                composite.add(implied)
                for member in chain.args:
                    self._later[member].add(implied)
                    self._later[inverse(member)].add(inverse(implied))
        composite |= {inverse(prop) for prop in composite}
        self._not_simple = _reachable(composite, self._implied)
        self._after: dict[Property, set[Property]] = {}

    def is_simple(self, prop: Property) -> bool:
        """Whether no chain and no transitive property implies the property."""
        return prop not in self._not_simple

    def implied_by(self, prop: Property) -> set[Property]:
        """The property, and all that it implies."""
        return _reachable({prop}, self._implied)

    def circular(self, chain: Expression, implied: Property) -> Property | None:
        """A member of a chain that the implied property comes before, where the order allows no chain to exist."""
        members = chain.args
        if implied == OWL.topObjectProperty or members == (implied, implied):
            return None
        after = self._after.get(implied)
        if after is None:
            after = self._after[implied] = _reachable({implied}, self._implied, self._later)
        for place, member in enumerate(members):
            # The implied property itself may be at one end of the chain.
            is_end = place in (0, len(members) - 1)
            if member in after and not (is_end and member == implied and self._other_end(place, members) not in after):
                return member
        return None

    @staticmethod
    def _other_end(place: int, members: tuple[Property, ...]) -> Property:
        return members[-1] if place == 0 else members[0]


def _implications(head: str, terms: tuple[Argument, ...]) -> Iterator[tuple[Property, Property]]:
    if head == "SubObjectPropertyOf" and not is_headed(terms[0], "ObjectPropertyChain"):
        yield terms[0], terms[1]
    elif head == "EquivalentObjectProperties":
        yield from permutations(terms, 2)
    elif head == "InverseObjectProperties":
        yield terms[0], inverse(terms[1])
        yield terms[1], inverse(terms[0])
    elif head == "SymmetricObjectProperty":
        yield terms[0], inverse(terms[0])


def _reachable(start: set[Property], *edges: _Edges) -> set[Property]:
    found, pending = set(start), list(start)
    while pending:
        prop = pending.pop()
        for following in edges:
            for each in following.get(prop, ()):
                if each not in found:
                    found.add(each)
                    pending.append(each)
    return found
