"""Repairs of operators that take ontologies out of OWL 2 EL.

A triple of an ontology is often a part of an axiom, and means nothing without the others. A repaired operator completes
what it adds: it declares new names, and gives new restrictions and lists the parts that they lack. It asks of existing
nodes that they are what the new triples need: a declared class, for example. And it removes whole axioms, but no
declarations.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgprobe.mining.index import is_of_vocabulary
from kgprobe.mining.operators import MinedOperator, Update, canonical_names
from kgprobe.mining.repair_draft import (
    AXIOMS,
    DECLARATIONS,
    FILLERS,
    STRUCTURES,
    TESTS,
    CannotRepairError,
    KindsOf,
    RepairDraft,
    Role,
    declares,
    kind_of_predicate,
    roles_of,
)
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["CannotRepairError", "repaired", "same_as"]


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


_PROPERTIES = (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
# The kinds that a name cannot have together with another one.
_CONFLICTS: dict[NamedNode, tuple[NamedNode, ...]] = {
    OWL.Class: (RDFS.Datatype,),
    RDFS.Datatype: (OWL.Class,),
    **{kind: tuple(other for other in _PROPERTIES if other != kind) for kind in _PROPERTIES},
}
# Axioms about two different things.
_OF_TWO = frozenset({OWL.equivalentClass, OWL.equivalentProperty, OWL.sameAs, OWL.differentFrom})
_OWNERS = frozenset({OWL.intersectionOf, OWL.oneOf, OWL.propertyChainAxiom, OWL.hasKey, RDF.rest})


class AdditionRepair(RepairDraft):
    """Completes what an operator adds."""

    def repaired(self) -> Update:
        """The repaired operator."""
        operator = self.operator
        new = set(operator.new_nodes)
        for atom in operator.added:
            self._check_structures(atom, new)
        for variable in operator.new_nodes:
            self._make(variable)
        for atom in operator.added:
            subject, value = roles_of(atom, self.kinds)
            parts = [(atom[0], subject), (atom[1], Role.PROPERTY), (atom[2], value)]
            if declares(atom):
                parts = parts[1:]
                self._guard_declared(atom, new)
            for part, role in parts:
                if part not in new:
                    self._guard(part, role, atom)
            self._guard_properties(atom, new)
            self._guard_difference(atom, new)
        return self.finished()

    def _guard_declared(self, atom: TriplePattern, new: set[Variable]) -> None:
        """A name can be declared as another kind, unless OWL 2 DL forbids the two kinds for one name."""
        subject, _, kind = atom
        if isinstance(subject, Variable) and subject not in new:
            self.ask("kg:isName", subject)
        if subject not in new:
            assert isinstance(kind, NamedNode)  # noqa: S101 - one of the declarations
            self._exclude_conflicts(subject, kind)

    def _exclude_conflicts(self, name: Variable | Term, kind: NamedNode) -> None:
        for other in _CONFLICTS[kind]:
            self.exclude((name, RDF.type, other))

    def _check_structures(self, atom: TriplePattern, new: set[Variable]) -> None:
        """An existing restriction or list is complete, and part of one axiom: it cannot get anything else."""
        for part, role in zip((atom[0], atom[2]), roles_of(atom, self.kinds), strict=True):
            if not isinstance(part, Variable):
                if role is Role.LIST and part != RDF.nil:
                    raise CannotRepairError("it would use a list that has a name")
                continue
            structure = self.structure(part)
            if structure is not None and part not in new:
                what = "list" if structure is Role.LIST else "class expression"
                if role in STRUCTURES:
                    raise CannotRepairError(f"it would change an existing {what}")
                raise CannotRepairError(f"it would use an existing {what} a second time")

    def _make(self, variable: Variable) -> None:
        """What a new node needs."""
        structure = self.structure(variable)
        roles = self.roles[variable]
        if structure is Role.RESTRICTION:
            self._make_restriction(variable)
        elif structure is Role.EXPRESSION:
            self._make_expression(variable)
        elif structure is Role.LIST:
            self._make_list(variable)
        elif Role.LITERAL in roles:
            self._make_literal(variable)
        else:
            self.calls[variable] = "kg:fresh()"
            for kind in self._kinds_of_name(variable, roles):
                if kind in DECLARATIONS and (variable, RDF.type, DECLARATIONS[kind]) not in self.insert:
                    self.put((variable, RDF.type, DECLARATIONS[kind]))
                    self.notes[f"new names are declared as {kind.value}"] = None

    def _kinds_of_name(self, part: Variable | Term, roles: Iterable[Role]) -> list[Role]:
        """The kinds that a name must have, one of those that exclude each other."""
        kinds = [role for role in Role if role in roles]
        if Role.PROPERTY in kinds:
            kinds = [role for role in kinds if role is not Role.PROPERTY]
            if not {Role.OBJECT, Role.DATA, Role.ANNOTATION} & set(kinds):
                kinds.append(self._kind_of_property(part))
        if Role.RANGE in kinds or Role.TYPE in kinds:
            kinds = [role for role in kinds if role not in (Role.RANGE, Role.TYPE)]
            if Role.DATATYPE not in kinds and Role.CLASS not in kinds:
                kinds.append(Role.CLASS)
        for one, other in ((Role.OBJECT, Role.DATA), (Role.CLASS, Role.DATATYPE)):
            if one in kinds and other in kinds:
                raise CannotRepairError(f"a name would be {one.value} and {other.value} at the same time")
        return kinds

    def _kind_of_property(self, part: Variable | Term) -> Role:
        """Object properties, unless a triple shows another kind: a datatype as range, a kind that a name has."""
        for subject, predicate, value in (*self.operator.finds, *self.operator.leaves):
            if subject == part and predicate == RDFS.range and _is_datatype(value):
                return Role.DATA
        if isinstance(part, NamedNode):
            for role in (Role.OBJECT, Role.DATA, Role.ANNOTATION):
                if DECLARATIONS[role] in self.kinds(part):
                    return role
        return Role.OBJECT

    def _make_restriction(self, node: Variable) -> None:
        self.blank.add(node)
        about = [atom for atom in self.operator.leaves if atom[0] == node]
        on = [atom for atom in about if atom[1] == OWL.onProperty]
        fillers = [atom for atom in about if atom[1] in FILLERS]
        if len(on) > 1 or len(fillers) > 1:
            raise CannotRepairError("a restriction would have two properties or two fillers")
        self.put((node, RDF.type, OWL.Restriction))
        if not on:
            is_of_data = bool(fillers) and _is_datatype(fillers[0][2])
            kind = Role.DATA if is_of_data else Role.OBJECT
            self.put((node, OWL.onProperty, self.existing(kind, "property")))
            self.notes["new restrictions get a property"] = None
        if not fillers:
            is_of_data = bool(on) and Role.DATA in self._kinds_of_name(on[0][2], self.roles[on[0][2]])
            filler = RDFS.Literal if is_of_data else self.existing(Role.CLASS, "filler")
            self.put((node, OWL.someValuesFrom, filler))
            self.notes["new restrictions get a filler"] = None
        self._use(node)

    def _make_expression(self, node: Variable) -> None:
        self.blank.add(node)
        if sum(atom[0] == node and atom[1] in _OWNERS for atom in self.operator.leaves) > 1:
            raise CannotRepairError("a class expression would have two lists")
        self.put((node, RDF.type, OWL.Class))
        self._use(node)

    def _use(self, node: Variable) -> None:
        """Each class expression is a part of one axiom."""
        uses = [atom for atom in self.operator.leaves if atom[2] == node or (atom[0] == node and atom[1] in AXIOMS)]
        if len(uses) > 1:
            raise CannotRepairError("a new class expression would be used twice")
        if not uses:
            self.put((self.existing(Role.CLASS, "class"), RDFS.subClassOf, node))
            self.notes["a class gets the new expression as superclass"] = None

    def _make_list(self, node: Variable) -> None:
        self.blank.add(node)
        leaves = self.operator.leaves
        owners = [atom for atom in leaves if atom[2] == node]
        first, rest = (
            [atom for atom in leaves if atom[0] == node and atom[1] == part] for part in (RDF.first, RDF.rest)
        )
        if len(first) > 1 or len(rest) > 1 or len(owners) > 1:
            raise CannotRepairError("it would break a list")
        if not owners:
            raise CannotRepairError("it would add a list that is no part of an axiom")
        if not first:
            member = self._member(owners[0])
            self.put((node, RDF.first, member))
            self.notes["new lists get a member"] = None
        if not rest:
            self.put((node, RDF.rest, RDF.nil))

    def _member(self, owner: TriplePattern) -> Variable:
        """A member for a list that is empty so far."""
        while owner[1] == RDF.rest:
            above = [atom for atom in self.operator.leaves if atom[2] == owner[0]]
            if len(above) != 1:
                raise CannotRepairError("it would break a list")
            owner = above[0]
        if owner[1] == OWL.oneOf:
            member = self.variable("member")
            self.calls[member] = "kg:individual()"
            return member
        if owner[1] == OWL.intersectionOf:
            return self.existing(Role.CLASS, "member")
        if owner[1] == OWL.propertyChainAxiom:
            return self.existing(Role.OBJECT, "member")
        raise CannotRepairError("it would add a list that lacks its members")

    def _make_literal(self, variable: Variable) -> None:
        """A value in the range of the property: a new node would not be one."""
        properties = [atom[1] for atom in self.operator.leaves if atom[2] == variable]
        if any(atom[0] == variable for atom in self.operator.leaves) or len(set(properties)) != 1:
            raise CannotRepairError("a new value would have to be in the range of several properties")
        assert isinstance(properties[0], NamedNode)  # noqa: S101 - predicates of rules are constants
        self.calls[variable] = f"kg:value(<{properties[0].value}>)"
        self.notes["new values are in the range of the property"] = None

    def _guard(self, part: Variable | Term, role: Role, atom: TriplePattern) -> None:
        """Existing nodes must be what a new triple needs."""
        if isinstance(part, Literal) or (isinstance(part, NamedNode) and is_of_vocabulary(part)):
            return
        roles = {role}
        if role is Role.PROPERTY:
            roles |= self.roles.get(part, set()) & {Role.OBJECT, Role.DATA, Role.ANNOTATION}
        if part == atom[1]:
            kind_of_use = kind_of_predicate(atom, self.kinds)
            if kind_of_use is None:
                raise CannotRepairError("no graph in OWL 2 EL declares its property")
            roles = {kind_of_use}
        for kind in self._kinds_of_name(part, roles):
            if kind in DECLARATIONS:
                self._guard_kind(part, kind)
            elif not isinstance(part, Variable):
                continue
            elif kind is Role.INDIVIDUAL or (kind is Role.ANY and part == atom[0]):
                self.ask("kg:isName", part)
            elif kind is Role.LITERAL:
                self.ask("isLiteral", part)
            else:  # each expression is a part of one axiom
                self.ask("!isBlank", part)

    def _guard_kind(self, part: Variable | Term, kind: Role) -> None:
        """A name must be declared as this kind, and not as one that excludes it."""
        declaration = DECLARATIONS[kind]
        self.require((part, RDF.type, declaration))
        if isinstance(part, Variable):
            if kind in TESTS:
                self.ask(TESTS[kind], part)
        elif isinstance(part, NamedNode) and self.kinds(part).intersection(_CONFLICTS[declaration]):
            self._exclude_conflicts(part, declaration)

    def _guard_properties(self, atom: TriplePattern, new: set[Variable]) -> None:
        """The rules of OWL 2 for property hierarchies concern properties that are there already.

        The functions for these rules take variables. For a name, it is enough that no axiom is there that they concern.
        """
        subject, predicate, value = atom
        if subject in new:
            return
        if predicate in (RDFS.subPropertyOf, OWL.equivalentProperty) and value not in new:
            if isinstance(subject, Variable) and isinstance(value, Variable):
                self.ask("kg:mayImply", subject, value)
                if predicate == OWL.equivalentProperty:
                    self.ask("kg:mayImply", value, subject)
            else:
                self._exclude_use(OWL.propertyChainAxiom)
                self._exclude_use(OWL.hasSelf)
        elif predicate == RDFS.range:
            if isinstance(subject, Variable):
                self.ask("kg:mayHaveRange", subject)
            else:
                self._exclude_use(OWL.propertyChainAxiom)
        elif predicate == RDF.type and value == OWL.TransitiveProperty:
            if isinstance(subject, Variable):
                self.ask("kg:mayCompose", subject)
            else:
                self._exclude_use(OWL.hasSelf)

    def _exclude_use(self, predicate: NamedNode) -> None:
        """There must be no triple with this predicate."""
        self.exclude((self.variable("any"), predicate, self.variable("value")))

    def _guard_difference(self, atom: TriplePattern, new: set[Variable]) -> None:
        """Nothing is said to be equivalent to itself, or different from itself."""
        subject, predicate, value = atom
        if predicate in _OF_TWO and subject not in new and value not in new:
            self.ask("!sameTerm", subject, value)


def _is_datatype(part: Variable | Term) -> bool:
    return isinstance(part, NamedNode) and (part.value.startswith(XSD.iri) or part == RDFS.Literal)


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
        *(("filter", filter_.function, *filter_.arguments) for filter_ in update.filters),
        *(("absent", *atom) for atom in update.absent),
        *(("call", call, variable) for variable, call in update.calls),
        *(("blank", variable) for variable in update.blank),
    ]
    names = canonical_names(rows)
    written = {tuple(str(names[part] if isinstance(part, Variable) else part) for part in row) for row in rows}
    return update.tidies, frozenset(written)
