"""Which of the OWL 2 profiles an ontology is in, and which axioms keep it out of one.

DL is in `dl_rules`; EL, QL and RL allow the same as DL, except for the constructs that this module names. Each verdict
equals that of OWLAPI 5, which follows "OWL 2 Web Ontology Language: Profiles" (W3C) with these differences:

- RL: DisjointClasses allows what EquivalentClasses allows, where the text allows any subclass expression; and
  xsd:unsignedInt and xsd:unsignedShort are missing among its datatypes.
- QL, RL: the fillers of data restrictions are checked by their datatypes only.

A group of triples that is not a single axiom is judged by the axioms within (see `unusual_axioms`), although the
mapping to RDF has such a graph in no profile. An unreadable group is in no profile. OWLAPI guesses what a restriction
without a type or with two fillers means, and drops an axiom that lacks a part; here, both are unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kgprobe.owl.axiom_groups import Axiom
from kgprobe.owl.datatypes import EL_DATATYPES, RL_DATATYPES
from kgprobe.owl.dl_rules import Reason, Surroundings, dl_reasons
from kgprobe.owl.expression import Argument, Expression, is_headed, number, parts_of, split_annotations
from kgprobe.owl.grammar import CARDINALITIES, DATATYPE, INDIVIDUAL, LITERAL, Contents, contents_of
from kgprobe.owl.name_kinds import NameKinds
from kgprobe.owl.unusual_axioms import statements_within
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, BlankNode, Literal

__all__ = ["Profile", "Violation", "profiles", "violations"]


class Profile(Enum):
    """A profile of OWL 2."""

    DL = "DL"
    EL = "EL"
    QL = "QL"
    RL = "RL"


@dataclass(frozen=True, slots=True)
class Violation:
    """An axiom that a profile does not allow, and why; `culprit` is the name or expression in it that is the cause."""

    profile: Profile
    axiom: Axiom
    rule: str
    culprit: Argument | None = None


def profiles(axioms: Iterable[Axiom]) -> frozenset[Profile]:
    """The profiles that an ontology with these axioms is in."""
    inside = set(Profile)
    for violation in violations(axioms):
        inside.discard(violation.profile)
        if not inside:
            break
    return frozenset(inside)


def violations(axioms: Iterable[Axiom], among: Iterable[Profile] = tuple(Profile)) -> Iterator[Violation]:
    """Each axiom that one of the profiles does not allow, with each reason; in the order of the axioms."""
    wanted = tuple(among)
    groups = list(axioms)
    stated = list(_stated(groups))
    around = Surroundings.of(tree for _, tree in stated if tree is not None)
    for axiom, tree in stated:
        for profile, reason in _reasons(tree, wanted, around):
            yield Violation(profile, axiom, reason.rule, reason.culprit)


def _stated(groups: list[Axiom]) -> Iterator[tuple[Axiom, Expression | None]]:
    """Each group with its axiom; a group that is not a single axiom comes once for each axiom within."""
    kinds: NameKinds | None = None
    for axiom in groups:
        if axiom.expression is not None:
            yield axiom, axiom.expression
            continue
        if kinds is None:  # most graphs have no such group
            kinds = NameKinds(Graph(triple for group in groups for triple in group.triples))
        yield from ((axiom, tree) for tree in statements_within(axiom.triples, kinds))


def _reasons(
    tree: Expression | None, wanted: tuple[Profile, ...], around: Surroundings
) -> Iterator[tuple[Profile, Reason]]:
    if tree is None:
        yield from ((profile, Reason("triples that are not an axiom of OWL 2")) for profile in wanted)
        return
    if tree.head == "Declaration":  # breaks no rule by itself, see `dl_rules`
        return
    contents = contents_of(tree)
    in_dl = list(dl_reasons(contents, around))
    for profile in wanted:
        yield from ((profile, reason) for reason in in_dl)
        if profile is not Profile.DL and tree.head not in _IN_ALL_PROFILES:
            yield from ((profile, reason) for reason in _REASONS[profile](tree, contents, around))


_IN_ALL_PROFILES = frozenset(
    {
        *("AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"),
        *("Ontology", "Import", "Variable"),
    }
)
_ILLEGAL_AXIOMS = {
    Profile.EL: {
        *("DisjointObjectProperties", "DisjointDataProperties", "DisjointUnion", "InverseObjectProperties"),
        *("FunctionalObjectProperty", "InverseFunctionalObjectProperty", "IrreflexiveObjectProperty"),
        *("SymmetricObjectProperty", "AsymmetricObjectProperty", "DLSafeRule"),
    },
    Profile.QL: {
        *("DisjointUnion", "FunctionalObjectProperty", "InverseFunctionalObjectProperty", "FunctionalDataProperty"),
        *("TransitiveObjectProperty", "HasKey", "SameIndividual", "DLSafeRule"),
        *("NegativeObjectPropertyAssertion", "NegativeDataPropertyAssertion"),
    },
    Profile.RL: {"DisjointUnion", "ReflexiveObjectProperty", "DatatypeDefinition", "DLSafeRule"},
}
_ILLEGAL_RANGES = {"DataUnionOf", "DataComplementOf", "DatatypeRestriction"}
_ILLEGAL_EXPRESSIONS = {
    Profile.EL: _ILLEGAL_RANGES
    | {
        *("ObjectUnionOf", "ObjectComplementOf", "ObjectAllValuesFrom", "DataAllValuesFrom", "ObjectInverseOf"),
        *CARDINALITIES,
    },
    Profile.QL: _ILLEGAL_RANGES | {"DataOneOf"},
    Profile.RL: _ILLEGAL_RANGES | {"DataOneOf"},
}
_DATATYPES = {Profile.EL: EL_DATATYPES, Profile.QL: EL_DATATYPES, Profile.RL: RL_DATATYPES}


# -- the grammars of QL and RL: which class expressions they allow where -----------------------------------------------
# OWL 2 EL allows the same everywhere, and has no grammar here.


class Position(Enum):
    """Where a class expression stands: left or right of SubClassOf, or in EquivalentClasses."""

    QL_SUB = "a subclass in OWL 2 QL"
    QL_SUPER = "a superclass in OWL 2 QL"
    RL_SUB = "a subclass in OWL 2 RL"
    RL_SUPER = "a superclass in OWL 2 RL"
    RL_EQUIVALENT = "an equivalent class in OWL 2 RL"


def fits(expression: Argument, position: Position) -> bool:
    """Whether the profile allows the expression in this position."""
    if type(expression) is not Expression:
        return _name_fits(expression, position)
    # From the innermost expression to the outermost, not recursively: a hostile tree is deeper than Python's stack.
    order = [part for part in parts_of(expression) if type(part) is Expression]
    known: _Known = {}
    for tree in reversed(order):
        known[id(tree)] = {
            allowed
            for allowed, grammar in _GRAMMARS.items()
            if tree.head in grammar and grammar[tree.head](tree, known)
        }
    return position in known[id(expression)]


_Known: TypeAlias = "dict[int, set[Position]]"
_Test: TypeAlias = Callable[[Expression, _Known], bool]


def _name_fits(name: Argument, position: Position) -> bool:
    return name != OWL.Thing or position in (Position.QL_SUB, Position.QL_SUPER)


def _part_fits(part: Argument, position: Position, known: _Known) -> bool:
    return position in known[id(part)] if type(part) is Expression else _name_fits(part, position)


def _always(_: Expression, __: _Known) -> bool:
    return True


def _operands(position: Position) -> _Test:
    return lambda tree, known: all(_part_fits(operand, position, known) for operand in tree.args)


def _filler(position: Position) -> _Test:
    return lambda tree, known: _part_fits(tree.args[1], position, known)


def _thing_filler(tree: Expression, _: _Known) -> bool:
    return tree.args[1] == OWL.Thing


def _named_filler(tree: Expression, _: _Known) -> bool:
    return type(tree.args[1]) is not Expression


def _rl_some(tree: Expression, known: _Known) -> bool:
    return tree.args[1] == OWL.Thing or _part_fits(tree.args[1], Position.RL_SUB, known)


def _at_most_one(tree: Expression, _: _Known) -> bool:
    return number(tree.args[0]) <= 1


def _rl_at_most_one(tree: Expression, known: _Known) -> bool:
    filler = tree.args[2] if len(tree.args) > 2 else OWL.Thing
    return number(tree.args[0]) <= 1 and (filler == OWL.Thing or _part_fits(filler, Position.RL_SUB, known))


_GRAMMARS: dict[Position, dict[object, _Test]] = {
    Position.QL_SUB: {
        "DataSomeValuesFrom": _always,
        "ObjectSomeValuesFrom": _thing_filler,
    },
    Position.QL_SUPER: {
        "DataSomeValuesFrom": _always,
        "ObjectSomeValuesFrom": _named_filler,
        "ObjectComplementOf": _operands(Position.QL_SUB),
        "ObjectIntersectionOf": _operands(Position.QL_SUPER),
    },
    Position.RL_SUB: {
        "DataHasValue": _always,
        "DataSomeValuesFrom": _always,
        "ObjectHasValue": _always,
        "ObjectOneOf": _always,
        "ObjectIntersectionOf": _operands(Position.RL_SUB),
        "ObjectUnionOf": _operands(Position.RL_SUB),
        "ObjectSomeValuesFrom": _rl_some,
    },
    Position.RL_SUPER: {
        "DataAllValuesFrom": _always,
        "DataHasValue": _always,
        "DataMaxCardinality": _at_most_one,
        "ObjectAllValuesFrom": _filler(Position.RL_SUPER),
        "ObjectComplementOf": _operands(Position.RL_SUB),
        "ObjectHasValue": _always,
        "ObjectIntersectionOf": _operands(Position.RL_SUPER),
        "ObjectMaxCardinality": _rl_at_most_one,
    },
    Position.RL_EQUIVALENT: {
        "DataHasValue": _always,
        "ObjectHasValue": _always,
        "ObjectIntersectionOf": _operands(Position.RL_EQUIVALENT),
    },
}


# -- the reasons of each profile ---------------------------------------------------------------------------------------

# Which arguments of an axiom are class expressions, and in which position.
_QL_POSITIONS: dict[str, dict[int, Position]] = {
    "SubClassOf": {0: Position.QL_SUB, 1: Position.QL_SUPER},
    "ObjectPropertyDomain": {1: Position.QL_SUPER},
    "ObjectPropertyRange": {1: Position.QL_SUPER},
    "DataPropertyDomain": {1: Position.QL_SUPER},
}
_RL_POSITIONS: dict[str, dict[int, Position]] = {
    "SubClassOf": {0: Position.RL_SUB, 1: Position.RL_SUPER},
    "ObjectPropertyDomain": {1: Position.RL_SUPER},
    "ObjectPropertyRange": {1: Position.RL_SUPER},
    "DataPropertyDomain": {1: Position.RL_SUPER},
    "ClassAssertion": {0: Position.RL_SUPER},
    "HasKey": {0: Position.RL_SUB},
}
_MEMBERS = {Profile.QL: Position.QL_SUB, Profile.RL: Position.RL_EQUIVALENT}


def _common_reasons(profile: Profile, tree: Expression, contents: Contents) -> Iterator[Reason]:
    """Reasons of the same form in all three profiles: constructs and datatypes that they lack."""
    if tree.head in _ILLEGAL_AXIOMS[profile]:
        yield Reason(f"{tree.head} is not in OWL 2 {profile.value}")
    for expression in contents.expressions:
        if expression.head in _ILLEGAL_EXPRESSIONS[profile]:
            yield Reason(f"{expression.head} is not in OWL 2 {profile.value}", expression)
    datatypes = [term for kind, term in contents.names if kind == DATATYPE]
    datatypes += [term.datatype for kind, term in contents.names if kind == LITERAL and type(term) is Literal]
    for datatype in dict.fromkeys(datatypes):
        if datatype not in _DATATYPES[profile]:
            yield Reason(f"datatype that is not in OWL 2 {profile.value}", datatype)


def _anonymous(profile: Profile, contents: Contents) -> Iterator[Reason]:
    for kind, term in dict.fromkeys(contents.names):
        if kind == INDIVIDUAL and type(term) is BlankNode:
            yield Reason(f"individual without a name, which OWL 2 {profile.value} does not have", term)


def _el_reasons(tree: Expression, contents: Contents, around: Surroundings) -> Iterator[Reason]:
    yield from _common_reasons(Profile.EL, tree, contents)
    yield from _anonymous(Profile.EL, contents)
    for expression in contents.expressions:
        if expression.head in ("ObjectOneOf", "DataOneOf") and len(set(expression.args)) != 1:
            yield Reason("enumeration of more than one thing", expression)
    arguments = split_annotations(tree)[1]
    if tree.head == "SubObjectPropertyOf" and is_headed(arguments[0], "ObjectPropertyChain"):
        last = arguments[0].args[-1]
        for implied in around.order.implied_by(arguments[1]):
            for imposed in around.ranges.get(implied, ()):
                if imposed not in around.ranges.get(last, ()):
                    yield Reason("range of the implied property that the last of the chain does not have", imposed)


def _grammar_reasons(profile: Profile, tree: Expression, positions: dict[str, dict[int, Position]]) -> Iterator[Reason]:
    arguments = split_annotations(tree)[1]
    places = positions.get(tree.head, {})
    if tree.head in ("EquivalentClasses", "DisjointClasses"):
        places = dict.fromkeys(range(len(arguments)), _MEMBERS[profile])
    for place, position in places.items():
        expression = arguments[place]
        if not fits(expression, position):
            yield Reason(f"expression that cannot be {position.value}", expression)


def _ql_reasons(tree: Expression, contents: Contents, _: Surroundings) -> Iterator[Reason]:
    yield from _common_reasons(Profile.QL, tree, contents)
    yield from _anonymous(Profile.QL, contents)
    yield from _grammar_reasons(Profile.QL, tree, _QL_POSITIONS)
    arguments = split_annotations(tree)[1]
    if tree.head == "ClassAssertion" and type(arguments[0]) is Expression:
        yield Reason("expression in an assertion, where OWL 2 QL has names only", arguments[0])
    if tree.head == "SubObjectPropertyOf" and is_headed(arguments[0], "ObjectPropertyChain"):
        yield Reason("property chain, which OWL 2 QL does not have", arguments[0])


def _rl_reasons(tree: Expression, contents: Contents, _: Surroundings) -> Iterator[Reason]:
    yield from _common_reasons(Profile.RL, tree, contents)
    yield from _grammar_reasons(Profile.RL, tree, _RL_POSITIONS)
    arguments = split_annotations(tree)[1]
    if tree.head == "DisjointClasses" and len(set(arguments)) == 1:
        yield Reason("class that is disjoint with itself, and so with owl:Thing", arguments[0])


_REASONS: dict[Profile, Callable[[Expression, Contents, Surroundings], Iterator[Reason]]] = {
    Profile.EL: _el_reasons,
    Profile.QL: _ql_reasons,
    Profile.RL: _rl_reasons,
}
