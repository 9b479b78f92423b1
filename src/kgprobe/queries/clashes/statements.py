"""Statements about individuals: what the triple patterns of a query say about the things that its variables stand for.

The statements of one pattern form a *unit*: a pattern takes part in a clash as a whole. Units that share a variable are
*connected*. So are all units that mention individuals of the ontology, because the ontology may connect these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from kgprobe.owl.expression import Expression
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import entities

__all__ = ["Group", "Said", "Statement", "Unit", "World", "axioms_of", "is_variable", "text_of", "variable"]

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


class World:
    """The statements of one world, as units, and the patterns behind them."""

    def __init__(self, statements: Iterable[Statement], named: frozenset[NamedNode]) -> None:
        by_origin: dict[int, set[Said]] = {}
        for each in statements:
            by_origin.setdefault(each.origin, set()).add(Said(each.axiom, each.value))
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
            for each in merged:
                group_of |= dict.fromkeys(_connections(each), merged)
        return [self._group(group) for group in groups.values()]

    def joined(self, groups: Iterable[Group]) -> Group:
        """Several groups as one."""
        return self._group([unit for group in groups for unit in sorted(group.units, key=text_of)])

    def _group(self, units: Sequence[Unit]) -> Group:
        individuals = {each for unit in units for each in _connections(unit)}
        return Group(frozenset(units), frozenset(each for each in self._named if each in individuals))


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
