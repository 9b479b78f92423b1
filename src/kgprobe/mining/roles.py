"""What the nodes of a pattern stand for in an ontology: a class, a property, an individual, a part of an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TypeAlias

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Term

__all__ = [
    *("AXIOMS", "DECLARATIONS", "FILLERS", "STRUCTURES", "KindsOf", "Role"),
    *("kind_of_predicate", "kinds_from", "roles_in", "roles_of"),
]


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
    found = [role for role in _OF_PROPERTY if DECLARATIONS[role] in kinds(predicate)]
    return next((role for role in found if role is not other), found[0] if found else None)


def roles_in(atoms: Iterable[TriplePattern], kinds: KindsOf) -> dict[Variable | Term, set[Role]]:
    """The roles of all subjects and objects of some atoms."""
    found: dict[Variable | Term, set[Role]] = {}
    for atom in atoms:
        for part, role in zip((atom[0], atom[2]), roles_of(atom, kinds), strict=True):
            found.setdefault(part, set()).add(role)
    return found
