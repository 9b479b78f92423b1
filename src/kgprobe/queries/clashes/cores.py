"""The part of a question that can matter: connected statements, and the axioms that can contradict them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from kgprobe.owl.expression import Expression
from kgprobe.owl.modules import Module, core_of
from kgprobe.queries.clashes.shared_values import StatedValues
from kgprobe.queries.clashes.statements import Group, Unit, axioms_of, is_variable, text_of
from kgprobe.rdf.terms import NamedNode, Subject
from kgprobe.reasoners.ontology import entities

__all__ = ["NO_MODULE", "Core", "Item", "axioms_in", "core_for"]

Item: TypeAlias = "Expression | Unit"
NO_MODULE = Module((), {}, is_connected=False, has_nominals=False)


class Core(NamedTuple):
    """Connected units, and the axioms that can take part in a contradiction with them."""

    group: Group
    axioms: tuple[Expression, ...]
    module: Module
    is_generous: bool = False

    @property
    def units(self) -> list[Unit]:
        """The units, in an order that depends only on them."""
        return sorted(self.group.units, key=text_of)

    @property
    def keys(self) -> list[Expression]:
        """The keys among the axioms."""
        return [axiom for axiom in self.axioms if axiom.head == "HasKey"]

    def with_names(self) -> Core:
        """The same, if no variable stands for a blank node."""
        return self._replace(is_generous=True)

    def only(self, units: Iterable[Item]) -> Core:
        """The same with fewer units."""
        kept = frozenset(each for each in units if isinstance(each, frozenset))
        return self._replace(group=self.group._replace(units=kept))

    def has_names(self) -> bool:
        """Whether a key may apply: an individual of the group has a name, or may be the same as one that has."""
        used = entities(axioms_of(self.group))
        is_named = any(kind == "NamedIndividual" and self._is_named(name) for kind, name in used)
        return is_named or self.module.has_nominals

    def whole(self) -> tuple[Expression, ...]:
        """All axioms, and all statements."""
        return self.stated([*self.axioms, *self.units])

    def stated(self, items: Iterable[Item]) -> tuple[Expression, ...]:
        """The axioms among the items as reasoners get them, and the statements of the units."""
        axioms: list[Expression] = []
        units: list[Unit] = []
        keys: list[Expression] = []
        for item in items:
            if type(item) is not Expression:
                units.append(item)
            elif item.head == "HasKey":
                keys.append(item)
            else:
                axioms.append(self.module.shortened.get(item, item))
        said = [each for unit in units for each in sorted(unit, key=str)]
        stated = dict.fromkeys(chain(axioms, (each.axiom for each in said)))
        shared = [axiom for axiom in axioms if axiom.head == "DisjointDataProperties"]
        if keys or shared:
            values = StatedValues(stated, {each.axiom: each.value for each in said if each.value})
            for key in keys:
                stated |= dict.fromkeys(values.consequences(key, self._is_named))
            for axiom in shared:
                stated |= dict.fromkeys(values.contradictions(axiom))
        return tuple(stated)

    def _is_named(self, individual: Subject) -> bool:
        if type(individual) is not NamedNode:
            return False
        return self.is_generous or not is_variable(individual) or individual in self.group.named


def core_for(module: Module, group: Group) -> Core:
    """The part of a group, and of its module, that can take part in a contradiction."""
    left = set(core_of([*module.stated(), *axioms_of(group)]))
    axioms = tuple(axiom for axiom in module.axioms if module.shortened.get(axiom, axiom) in left)
    units = frozenset(unit for unit in group.units if any(said.axiom in left for said in unit))
    return Core(group._replace(units=units), axioms, module)


def axioms_in(items: Iterable[Item]) -> Iterator[Expression]:
    return (said.axiom for item in items if isinstance(item, frozenset) for said in item)
