"""A model with a single thing: if one exists, the ontology is consistent, and no reasoner is needed.

Two models are tried. In the first, the thing is in no class and has no property, which works for most ontologies
without individuals. In the second, it is in every class and has every object property, to itself. No data property has
a value in either. With one thing, a class expression is true or false, and so is an axiom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, number
from kgprobe.rdf.terms import OWL

_ALWAYS: dict[object, bool] = {
    OWL.Thing: True,
    OWL.Nothing: False,
    OWL.topObjectProperty: True,
    OWL.bottomObjectProperty: False,
}


def has_tiny_model(axioms: Iterable[Expression]) -> bool:
    """Whether one of the two is a model of the axioms. All literals must be valid for their datatypes."""
    stated = list(axioms)
    return any(all(map(thing.satisfies, stated)) for thing in (_Thing(is_full=False), _Thing(is_full=True)))


class _Thing:
    """The one thing, which is in all named classes or in none."""

    def __init__(self, *, is_full: bool) -> None:
        self._is_full = is_full

    def satisfies(self, axiom: Expression) -> bool:
        """Whether the axiom is true; False for unknown constructs."""
        judge = _AXIOMS.get(axiom.head)
        return judge is not None and judge(self, axiom.args)

    def has(self, part: Argument) -> bool:
        """Whether it is in the class, or has the object property to itself."""
        if type(part) is not Expression:
            return _ALWAYS.get(part, self._is_full)
        rest = part.args
        match part.head:
            case "ObjectIntersectionOf" | "ObjectPropertyChain":
                return all(map(self.has, rest))
            case "ObjectUnionOf":
                return any(map(self.has, rest))
            case "ObjectComplementOf":
                return not self.has(rest[0])
            case "ObjectSomeValuesFrom":
                return self.has(rest[0]) and self.has(rest[1])
            case "ObjectAllValuesFrom":
                return not self.has(rest[0]) or self.has(rest[1])
            case "ObjectHasValue" | "ObjectHasSelf" | "ObjectInverseOf":
                return self.has(rest[0])
            case "ObjectOneOf" | "DataAllValuesFrom":
                return True
            case "DataSomeValuesFrom" | "DataHasValue":
                return False
        return self._counts(part.head, number(rest[0]), rest[1:])

    def _counts(self, head: str, wanted: int, rest: tuple[Argument, ...]) -> bool:
        found = int(head.startswith("Object") and all(map(self.has, rest)))
        if head.endswith("MinCardinality"):
            return found >= wanted
        return found <= wanted if head.endswith("MaxCardinality") else found == wanted


_Judge: TypeAlias = Callable[[_Thing, tuple[Argument, ...]], bool]


def _implies(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return not thing.has(parts[0]) or thing.has(parts[1])


def _equal(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return len(set(map(thing.has, parts))) == 1


def _exclusive(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return sum(map(thing.has, parts)) <= 1


def _disjoint_union(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return sum(map(thing.has, parts[1:])) == thing.has(parts[0])


def _first(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return thing.has(parts[0])


def _not_first(thing: _Thing, parts: tuple[Argument, ...]) -> bool:
    return not thing.has(parts[0])


def _always(_thing: _Thing, _parts: tuple[Argument, ...]) -> bool:
    return True


_AXIOMS: dict[str, _Judge] = {
    **dict.fromkeys(["SubClassOf", "SubObjectPropertyOf", "ObjectPropertyDomain", "ObjectPropertyRange"], _implies),
    **dict.fromkeys(["EquivalentClasses", "EquivalentObjectProperties", "InverseObjectProperties"], _equal),
    **dict.fromkeys(["DisjointClasses", "DisjointObjectProperties"], _exclusive),
    "DisjointUnion": _disjoint_union,
    **dict.fromkeys(["ClassAssertion", "ObjectPropertyAssertion", "ReflexiveObjectProperty"], _first),
    **dict.fromkeys(
        ["NegativeObjectPropertyAssertion", "IrreflexiveObjectProperty", "AsymmetricObjectProperty"], _not_first
    ),
    **dict.fromkeys(
        ["FunctionalObjectProperty", "InverseFunctionalObjectProperty", "SymmetricObjectProperty"], _always
    ),
    **dict.fromkeys(["TransitiveObjectProperty", "SameIndividual", "HasKey"], _always),
    # About data properties, none of which has a value.
    **dict.fromkeys(["SubDataPropertyOf", "EquivalentDataProperties", "DisjointDataProperties"], _always),
    **dict.fromkeys(["DataPropertyDomain", "DataPropertyRange", "FunctionalDataProperty"], _always),
    "NegativeDataPropertyAssertion": _always,
}
