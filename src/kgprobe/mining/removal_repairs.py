"""Repairs of operators that remove triples: they remove whole axioms, and leave declarations where they are."""

from __future__ import annotations

from kgprobe.mining.operator_text import Update
from kgprobe.mining.operators import MinedOperator
from kgprobe.mining.repair_draft import CannotRepairError, RepairDraft, declares
from kgprobe.mining.roles import AXIOMS, KindsOf, Role
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode

__all__ = ["RemovalRepair"]


class RemovalRepair(RepairDraft):
    """Removes whole axioms. `root` is the predicate for expressions whose axiom the operator does not mention."""

    def __init__(self, operator: MinedOperator, update: Update, kinds: KindsOf, root: NamedNode) -> None:
        super().__init__(operator, update, kinds)
        self._root = root

    def repaired(self) -> Update:
        """The repaired operator."""
        for atom in self.operator.removed:
            subject = atom[0]
            if self.structure(subject) is not None and not self._is_axiom(atom):
                assert isinstance(subject, Variable)  # noqa: S101 - only variables are structures
                self._remove_axiom(subject)
            elif not declares(atom):
                self._remove(atom)
                if atom[1] == RDF.type and isinstance(atom[2], Variable):  # only a fact about an individual
                    self.require((atom[2], RDF.type, OWL.Class))
                    self.ask("kg:isClass", atom[2])
            else:
                self.notes["declarations stay"] = None
        if not self.delete:
            raise CannotRepairError("it would remove declarations only, of names that are still used")
        self._note_hanging()
        return self.finished(tidies=True)

    def _is_axiom(self, atom: TriplePattern) -> bool:
        return atom[1] in AXIOMS

    def _remove(self, atom: TriplePattern) -> None:
        if atom not in self.delete:
            self.delete.append(atom)
            if atom[1] == RDFS.range:  # the last property of a chain must have the ranges of the implied one
                self.exclude((self.variable("cell"), RDF.first, atom[0]))

    def _remove_axiom(self, node: Variable) -> None:
        """Remove the triple that the whole expression hangs on."""
        seen = {node}
        while True:
            uses = [atom for atom in self.where if atom[2] == node or (atom[0] == node and self._is_axiom(atom))]
            if not uses:
                if self.structure(node) is Role.LIST:
                    raise CannotRepairError("it would break a list")
                above = self.variable("class")
                self.require((above, self._root, node))
                self._remove((above, self._root, node))
                self.notes["whole axioms are removed"] = None
                return
            use = uses[0]
            if use[2] != node or not isinstance(use[0], Variable) or self.structure(use[0]) is None:
                self._remove(use)
                self.notes["whole axioms are removed"] = None
                return
            node = use[0]
            if node in seen:
                raise CannotRepairError("it would break a list")
            seen.add(node)

    def _note_hanging(self) -> None:
        """Nodes that disappear with the removed triples, in the example of the operator."""
        waiting = [part for atom in self.delete for part in (atom[0], atom[2])]
        for part in waiting:
            if isinstance(part, Variable) and part not in self.hanging and self.structure(part) is not None:
                self.hanging.add(part)
                waiting += [atom[2] for atom in self.where if atom[0] == part]
