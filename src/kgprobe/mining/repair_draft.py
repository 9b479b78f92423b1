"""A repaired operator in the making: conditions, and the triples to remove and to add."""

from __future__ import annotations

from dataclasses import replace

from kgprobe.mining.operator_text import Condition, Update
from kgprobe.mining.operators import MinedOperator
from kgprobe.mining.roles import DECLARATIONS, STRUCTURES, KindsOf, Role, roles_in
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.terms import RDF, Term

__all__ = ["TESTS", "CannotRepairError", "RepairDraft", "declares"]

_SUFFIX = "-el"
TESTS = {Role.CLASS: "kg:isClass", Role.OBJECT: "kg:isObjectProperty", Role.DATA: "kg:isDataProperty"}
"""The functions that ask whether a name is of a kind, and of no other that excludes it."""


class CannotRepairError(Exception):
    """No repair is known; the message is the reason."""


def declares(atom: TriplePattern) -> bool:
    """Whether this triple declares a name."""
    return atom[1] == RDF.type and atom[2] in DECLARATIONS.values()


class RepairDraft:
    """An update in the making."""

    def __init__(self, operator: MinedOperator, update: Update, kinds: KindsOf) -> None:
        self.operator, self.update, self.kinds = operator, update, kinds
        self.roles = roles_in((*operator.finds, *operator.leaves), kinds)
        self.where = list(operator.finds)
        self.delete: list[TriplePattern] = []
        self.insert = list(operator.added)
        self.filters: dict[Condition, None] = dict.fromkeys(update.filters)
        self.absent: dict[TriplePattern, None] = {}
        self.calls: dict[Variable, str] = {}
        self.blank: set[Variable] = set()
        self.hanging: set[Variable] = set()
        self.notes: dict[str, None] = {}
        self._variables = set(variables_of((*operator.finds, *operator.leaves)))

    def structure(self, part: Variable | Term) -> Role | None:
        """The structure that a node is a part of."""
        found = self.roles.get(part, set()) & STRUCTURES
        if not found or not isinstance(part, Variable):
            return None
        if Role.OTHER in found:
            raise CannotRepairError("no repair is known for this kind of axiom")
        if len(found) > 1:
            words = " and a ".join(sorted(role.value for role in found))
            raise CannotRepairError(f"a node would be a {words} at the same time")
        return next(iter(found))

    def variable(self, wanted: str) -> Variable:
        """A new variable."""
        name, number = wanted, 1
        while Variable(name) in self._variables:
            number += 1
            name = f"{wanted}{number}"
        self._variables.add(Variable(name))
        return Variable(name)

    def require(self, atom: TriplePattern) -> None:
        if atom not in self.where:
            self.where.append(atom)

    def put(self, atom: TriplePattern) -> None:
        if atom not in self.insert and atom not in self.where:
            self.insert.append(atom)

    def ask(self, function: str, *arguments: Variable | Term) -> None:
        self.filters[Condition(function, arguments)] = None

    def exclude(self, atom: TriplePattern) -> None:
        self.absent[atom] = None

    def existing(self, role: Role, wanted: str) -> Variable:
        """A variable for an existing class or property."""
        variable = self.variable(wanted)
        self.require((variable, RDF.type, DECLARATIONS[role]))
        self.ask(TESTS[role], variable)
        return variable

    def finished(self, *, tidies: bool = False) -> Update:
        shown = f" ({', '.join(self.notes)})" if self.notes else ""
        return replace(
            self.update,
            name=self.update.name + _SUFFIX,
            does=self.update.does + shown,
            where=tuple(self.where),
            delete=tuple(self.delete),
            insert=tuple(self.insert),
            filters=tuple(self.filters),
            absent=tuple(self.absent),
            calls=tuple(self.calls.items()),
            blank=frozenset(self.blank),
            hanging=frozenset(self.hanging),
            tidies=tidies,
        )
