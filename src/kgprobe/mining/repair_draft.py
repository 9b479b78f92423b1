"""A repaired operator in the making: conditions, and the triples to remove and to add.

What a triple pattern asks of a node, such as to be a class, is the role of the node. A repair gives each node its role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from typing import TypeAlias

from kgprobe.mining.operators import FilterCall, MinedOperator, Update
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Term

__all__ = ["CannotRepairError", "KindsOf", "kinds_from"]


class Role(Enum):
    """What a node stands for."""

    CLASS = "class"
    OBJECT = "object property"
    DATA = "data property"
    ANNOTATION = "annotation property"
    PROPERTY = "property"  # of any of these kinds
    DATATYPE = "datatype"
    RANGE = "class or datatype"
    INDIVIDUAL = "individual"
    VALUE = "individual or literal"
    LITERAL = "literal"
    TYPE = "type"  # a class, or a class of the vocabulary
    ANY = "anything"
    RESTRICTION = "restriction"
    EXPRESSION = "class expression"
    LIST = "list"
    OTHER = "other"  # part of something that no repair is for


STRUCTURES = frozenset({Role.RESTRICTION, Role.EXPRESSION, Role.LIST, Role.OTHER})
"""Roles of blank nodes that have no meaning alone: each is a part of one axiom."""

DECLARATIONS: dict[Role, NamedNode] = {
    Role.CLASS: OWL.Class,
    Role.OBJECT: OWL.ObjectProperty,
    Role.DATA: OWL.DatatypeProperty,
    Role.ANNOTATION: OWL.AnnotationProperty,
    Role.DATATYPE: RDFS.Datatype,
}
"""The types that declare a name."""

AXIOMS = frozenset({RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith})
"""Axioms about classes, whose subject can be an expression."""

FILLERS = frozenset({OWL.someValuesFrom, OWL.hasValue, OWL.hasSelf})
"""The predicates of EL that say what a restriction requires of the values."""

_TYPES: dict[Term, Role] = {
    **{name: role for role, name in DECLARATIONS.items()},
    **dict.fromkeys((OWL.TransitiveProperty, OWL.ReflexiveProperty), Role.OBJECT),
    **dict.fromkeys((OWL.SymmetricProperty, OWL.AsymmetricProperty, OWL.IrreflexiveProperty), Role.OBJECT),
    OWL.InverseFunctionalProperty: Role.OBJECT,
    OWL.FunctionalProperty: Role.DATA,  # the only functional properties of EL
    OWL.Restriction: Role.RESTRICTION,
    OWL.NamedIndividual: Role.INDIVIDUAL,
    OWL.Thing: Role.INDIVIDUAL,
    RDF.List: Role.LIST,
}
_ENDS: dict[Term, tuple[Role, Role]] = {
    **dict.fromkeys(AXIOMS, (Role.CLASS, Role.CLASS)),
    **dict.fromkeys((RDFS.subPropertyOf, OWL.equivalentProperty), (Role.PROPERTY, Role.PROPERTY)),
    **dict.fromkeys((OWL.inverseOf, OWL.propertyDisjointWith), (Role.OBJECT, Role.OBJECT)),
    RDFS.domain: (Role.PROPERTY, Role.CLASS),
    RDFS.range: (Role.PROPERTY, Role.RANGE),
    OWL.onProperty: (Role.RESTRICTION, Role.PROPERTY),
    OWL.someValuesFrom: (Role.RESTRICTION, Role.RANGE),
    OWL.hasValue: (Role.RESTRICTION, Role.VALUE),
    OWL.hasSelf: (Role.RESTRICTION, Role.LITERAL),
    OWL.intersectionOf: (Role.EXPRESSION, Role.LIST),
    OWL.oneOf: (Role.EXPRESSION, Role.LIST),
    OWL.propertyChainAxiom: (Role.OBJECT, Role.LIST),
    OWL.hasKey: (Role.CLASS, Role.LIST),
    RDF.first: (Role.LIST, Role.ANY),
    RDF.rest: (Role.LIST, Role.LIST),
    **dict.fromkeys((OWL.sameAs, OWL.differentFrom), (Role.INDIVIDUAL, Role.INDIVIDUAL)),
    **dict.fromkeys((RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy), (Role.ANY, Role.ANY)),
    **dict.fromkeys((OWL.versionInfo, OWL.deprecated), (Role.ANY, Role.ANY)),
}
_OF_PROPERTY = {
    Role.OBJECT: (Role.INDIVIDUAL, Role.INDIVIDUAL),
    Role.DATA: (Role.INDIVIDUAL, Role.LITERAL),
    Role.ANNOTATION: (Role.ANY, Role.ANY),
}

# The kinds that a name is declared as: `OWL.ObjectProperty`, and so on.
KindsOf: TypeAlias = Callable[[NamedNode], frozenset[Term]]


def kinds_from(declared: Iterable[tuple[NamedNode, Term]]) -> KindsOf:
    """The kinds of names, from pairs of a name and one of its types."""
    known: dict[NamedNode, set[Term]] = {}
    for name, kind in declared:
        known.setdefault(name, set()).add(kind)
    return lambda name: frozenset(known.get(name, ()))


def roles_of(atom: TriplePattern, kinds: KindsOf) -> tuple[Role, Role]:
    """The roles of the subject and the object of an atom."""
    _, predicate, value = atom
    if predicate == RDF.type:
        if isinstance(value, Variable):
            return Role.INDIVIDUAL, Role.TYPE
        is_own = isinstance(value, NamedNode) and not value.value.startswith((OWL.iri, RDF.iri, RDFS.iri))
        return _TYPES.get(value, Role.INDIVIDUAL if is_own else Role.OTHER), Role.TYPE
    assert isinstance(predicate, NamedNode)  # noqa: S101 - predicates of rules are constants
    if predicate in _ENDS:
        return _ENDS[predicate]
    if predicate.value.startswith((OWL.iri, RDF.iri, RDFS.iri)):
        return Role.OTHER, Role.OTHER
    kind = kind_of_predicate(atom, kinds)
    return (Role.ANY, Role.ANY) if kind is None else _OF_PROPERTY[kind]


def kind_of_predicate(atom: TriplePattern, kinds: KindsOf) -> Role | None:
    """The kind of property that an atom has as its predicate; None if it is declared nowhere.

    Graphs can differ in this: of the kinds that they declare, it is the first that allows the object of the atom.
    """
    _, predicate, value = atom
    assert isinstance(predicate, NamedNode)  # noqa: S101 - predicates of rules are constants
    other = Role.OBJECT if isinstance(value, Literal) else Role.DATA if isinstance(value, NamedNode) else None
    roles = [role for role in _OF_PROPERTY if DECLARATIONS[role] in kinds(predicate)]
    return next((role for role in roles if role is not other), roles[0] if roles else None)


def roles_in(atoms: Iterable[TriplePattern], kinds: KindsOf) -> dict[Variable | Term, set[Role]]:
    """The roles of all subjects and objects of some atoms."""
    roles: dict[Variable | Term, set[Role]] = {}
    for atom in atoms:
        for part, role in zip((atom[0], atom[2]), roles_of(atom, kinds), strict=True):
            roles.setdefault(part, set()).add(role)
    return roles


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
        self.filters: dict[FilterCall, None] = dict.fromkeys(update.filters)
        self.absent: dict[TriplePattern, None] = {}
        self.calls: dict[Variable, str] = {}
        self.blank: set[Variable] = set()
        self.hanging: set[Variable] = set()
        self.notes: dict[str, None] = {}
        self._variables = set(variables_of((*operator.finds, *operator.leaves)))

    def structure(self, part: Variable | Term) -> Role | None:
        """The structure that a node is a part of."""
        structures = self.roles.get(part, set()) & STRUCTURES
        if not structures or not isinstance(part, Variable):
            return None
        if Role.OTHER in structures:
            raise CannotRepairError("no repair is known for this kind of axiom")
        if len(structures) > 1:
            words = " and a ".join(sorted(role.value for role in structures))
            raise CannotRepairError(f"a node would be a {words} at the same time")
        return next(iter(structures))

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
        self.filters[FilterCall(function, arguments)] = None

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
