"""Repairs of operators that take ontologies out of OWL 2 EL.

A triple of an ontology is often a part of an axiom, and means nothing without the others. A repaired operator completes
what it adds: it declares new names, and gives new restrictions and lists the parts that they lack. It asks of existing
nodes that they are what the new triples need: a declared class, for example. And it removes whole axioms, but no
declarations.
"""

from __future__ import annotations

from kgprobe.mining.addition_repairs import AdditionRepair
from kgprobe.mining.operator_text import Update
from kgprobe.mining.operators import MinedOperator, canonical_names
from kgprobe.mining.removal_repairs import RemovalRepair
from kgprobe.mining.repair_draft import CannotRepairError
from kgprobe.mining.roles import KindsOf
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDFS

__all__ = ["CannotRepairError", "repaired", "same_as"]

# Axioms that a whole class expression hangs on. The first is the most frequent one.
_ROOTS = (RDFS.subClassOf, OWL.equivalentClass)


def repaired(operator: MinedOperator, update: Update, kinds: KindsOf) -> list[Update]:
    """Operators that do what this one does and stay in EL, best first; CannotRepairError with the reason if none.

    `kinds` has the kinds that the names of the graphs are declared as.
    """
    if operator.removed:
        return list(dict.fromkeys(RemovalRepair(operator, update, kinds, root).repaired() for root in _ROOTS))
    return [AdditionRepair(operator, update, kinds).repaired()]


def same_as(update: Update) -> tuple[object, ...]:
    """A value that two operators share if they do the same: they differ in the names of variables only."""
    rows: list[tuple[object, ...]] = [
        *(("where", *atom) for atom in update.where),
        *(("delete", *atom) for atom in update.delete),
        *(("insert", *atom) for atom in update.insert),
        *(("filter", each.function, *each.arguments) for each in update.filters),
        *(("absent", *atom) for atom in update.absent),
        *(("call", call, variable) for variable, call in update.calls),
        *(("blank", variable) for variable in update.blank),
    ]
    names = canonical_names(rows)
    written = {tuple(str(names[part] if isinstance(part, Variable) else part) for part in row) for row in rows}
    return update.tidies, frozenset(written)
