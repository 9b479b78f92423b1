"""The axioms of an ontology as steps of derivations: what follows from a class or a property."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, is_headed

__all__ = ["ToldAxioms"]

_Told: TypeAlias = "dict[Argument, list[tuple[Argument, Expression]]]"
_TRAITS = frozenset(
    {"FunctionalObjectProperty", "InverseFunctionalObjectProperty"}
    | {"IrreflexiveObjectProperty", "AsymmetricObjectProperty", "TransitiveObjectProperty"}
)
_ABOUT_CLASSES = frozenset({"SubClassOf", "EquivalentClasses", "DisjointUnion", "DisjointClasses"})
_ASSERTIONS = frozenset({"ClassAssertion", "ObjectPropertyAssertion", "SameIndividual"})


class ToldAxioms:
    """The axioms of one ontology, by the names with which a step begins."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self.above: _Told = {}
        self.conjunctions: dict[Argument, list[tuple[frozenset[Argument], Argument, Expression]]] = {}
        self.apart: _Told = {}
        self.domains: _Told = {}
        self.ranges: _Told = {}
        self.properties_above: _Told = {}
        self.inverses: _Told = {}
        self.properties_apart: _Told = {}
        # The chains that begin with a property: what follows it, the property that they imply, and the axiom.
        self.chains: dict[Argument, list[tuple[Argument, Argument, Expression]]] = {}
        self.somes: dict[Argument, list[Expression]] = {}
        self.traits: dict[tuple[str, Argument], Expression] = {}
        self.about: dict[Argument, list[Expression]] = {}
        for axiom in axioms:
            self._read(axiom)
        for kind in dict.fromkeys((*self.above, *self.apart, *self.conjunctions)):
            if is_headed(kind, "ObjectSomeValuesFrom"):
                self.somes.setdefault(kind.args[0], []).append(kind)

    def _read(self, axiom: Expression) -> None:
        head = axiom.head
        if head in _TRAITS:
            self.traits[head, axiom.args[0]] = axiom
            if head == "TransitiveObjectProperty":
                self.chains.setdefault(axiom.args[0], []).append((axiom.args[0], axiom.args[0], axiom))
        elif head in _ABOUT_CLASSES:
            self._read_classes(axiom)
        elif head in _ASSERTIONS:
            for each in axiom.args if head == "SameIndividual" else axiom.args[1:]:
                self.about.setdefault(each, []).append(axiom)
        else:
            self._read_properties(axiom)

    def _read_classes(self, axiom: Expression) -> None:
        match axiom.head, axiom.args:
            case "SubClassOf", (lower, upper):
                self._subclass(lower, upper, axiom)
            case "EquivalentClasses", classes:
                for one, other in permutations(dict.fromkeys(classes), 2):
                    self._subclass(one, other, axiom)
            case "DisjointUnion", (whole, *parts):
                for part in parts:
                    self._subclass(part, whole, axiom)
                self._apart(self.apart, parts, axiom)
            case "DisjointClasses", parts:
                self._apart(self.apart, parts, axiom)

    def _read_properties(self, axiom: Expression) -> None:
        match axiom.head, axiom.args:
            case "DisjointObjectProperties", parts:
                self._apart(self.properties_apart, parts, axiom)
            case "ObjectPropertyDomain" | "DataPropertyDomain", (prop, kind):
                self.domains.setdefault(prop, []).append((kind, axiom))
            case "ObjectPropertyRange", (prop, kind):
                self.ranges.setdefault(prop, []).append((kind, axiom))
            case "SubObjectPropertyOf", (Expression(head="ObjectPropertyChain", args=(first, second)), upper):
                self.chains.setdefault(first, []).append((second, upper, axiom))
            case "SubObjectPropertyOf" | "SubDataPropertyOf", (lower, upper):
                self.properties_above.setdefault(lower, []).append((upper, axiom))
            case "EquivalentObjectProperties" | "EquivalentDataProperties", props:
                for one, other in permutations(dict.fromkeys(props), 2):
                    self.properties_above.setdefault(one, []).append((other, axiom))
            case "InverseObjectProperties", (one, other):
                self.inverses.setdefault(one, []).append((other, axiom))
                self.inverses.setdefault(other, []).append((one, axiom))
            case "SymmetricObjectProperty", (prop,):
                self.inverses.setdefault(prop, []).append((prop, axiom))

    def _subclass(self, lower: Argument, upper: Argument, axiom: Expression) -> None:
        if is_headed(lower, "ObjectIntersectionOf"):
            parts = frozenset(lower.args)
            for part in parts:
                self.conjunctions.setdefault(part, []).append((parts, upper, axiom))
        elif is_headed(lower, "ObjectUnionOf"):
            for part in lower.args:
                self._subclass(part, upper, axiom)
        else:
            self.above.setdefault(lower, []).append((upper, axiom))

    @staticmethod
    def _apart(told: _Told, parts: Iterable[Argument], axiom: Expression) -> None:
        listed = list(parts)
        for place, one in enumerate(listed):
            # A part that is listed twice is empty.
            others = {each for other, each in enumerate(listed) if other != place}
            told.setdefault(one, []).extend((other, axiom) for other in sorted(others, key=str))
