"""Statements about individuals: what the triple patterns of a query say about the things that its variables stand for.

The statements of one pattern form a *unit*: a pattern takes part in a clash as a whole. Units that share a variable are
*connected*. So are all units that mention individuals of the ontology, because the ontology may connect these.

The axioms of an ontology are the steps that lead from such statements to others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import entities

__all__ = ["Statement", "variable"]

_VARIABLE = "urn:kgprobe:variable:"


@lru_cache(maxsize=4096)  # each step of a proof asks for the same few
def variable(name: str) -> NamedNode:
    """The individual that a variable stands for."""
    return NamedNode(_VARIABLE + quote(name, safe=""))


def is_variable(individual: object) -> bool:
    """Whether the individual is what a variable stands for."""
    return type(individual) is NamedNode and individual.value.startswith(_VARIABLE)


@dataclass(frozen=True, slots=True)
class Statement:
    """An assertion, the number of the pattern that states it, and the variable of its literal, if that is unknown."""

    axiom: Expression
    origin: int
    value: str = ""


class Said(NamedTuple):
    """A statement without its origin."""

    axiom: Expression
    value: str


Unit: TypeAlias = frozenset[Said]
"""What one pattern states."""


class Group(NamedTuple):
    """Connected units, and the individuals in them that are known to have a name."""

    units: frozenset[Unit]
    named: frozenset[NamedNode]


class StatedUnits:
    """The statements of one world, as units, and the patterns behind them."""

    def __init__(self, statements: Iterable[Statement], named: frozenset[NamedNode]) -> None:
        by_origin: dict[int, set[Said]] = {}
        for statement in statements:
            by_origin.setdefault(statement.origin, set()).add(Said(statement.axiom, statement.value))
        self._origins: dict[Unit, int] = {}
        for origin, said in sorted(by_origin.items()):
            self._origins.setdefault(frozenset(said), origin)
        self._named = named
        self.units = tuple(self._origins)

    def origins(self, units: Iterable[Unit]) -> tuple[int, ...]:
        """The numbers of the patterns that state these units."""
        return tuple(sorted(self._origins[unit] for unit in units))

    def groups(self, units: Iterable[Unit]) -> list[Group]:
        """The units by connection: a common variable, or individuals of the ontology in both."""
        group_of: dict[object, list[Unit]] = {}
        groups: dict[int, list[Unit]] = {}
        for unit in units:
            merged: list[Unit] = [unit]
            keys = _connections(unit)
            joined = {id(group): group for key in keys if (group := group_of.get(key)) is not None}
            for number, group in joined.items():
                merged = group + merged
                del groups[number]
            groups[id(merged)] = merged
            for individual in merged:
                group_of |= dict.fromkeys(_connections(individual), merged)
        return [self._group(group) for group in groups.values()]

    def joined(self, groups: Iterable[Group]) -> Group:
        """Several groups as one."""
        return self._group([unit for group in groups for unit in sorted(group.units, key=text_of)])

    def _group(self, units: Sequence[Unit]) -> Group:
        individuals = {connection for unit in units for connection in _connections(unit)}
        return Group(frozenset(units), frozenset(individual for individual in self._named if individual in individuals))


_CONSTANT = object()


def _connections(unit: Unit) -> set[object]:
    """The variables of a unit, and one sign for all other individuals: the ontology may connect these."""
    found: set[object] = set()
    for said in unit:
        if said.value:
            found.add(said.value)
        for kind, name in entities([said.axiom]):
            if kind == "NamedIndividual":
                found.add(name if is_variable(name) else _CONSTANT)
    return found


def axioms_of(group: Group) -> Iterator[Expression]:
    """The axioms that a group states."""
    return (said.axiom for unit in group.units for said in unit)


def text_of(unit: Unit) -> list[str]:
    """A unit as text, to sort by."""
    return sorted(map(str, unit))


# -- axioms as steps ---------------------------------------------------------------------------------------------------

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
