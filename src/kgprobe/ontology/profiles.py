"""Which of the OWL 2 profiles an ontology is in, and which axioms keep it out of one.

DL is in `dl_rules`; EL, QL and RL allow what DL allows, without what this module names. Each verdict equals that of
OWLAPI 5, which follows "OWL 2 Web Ontology Language: Profiles" (W3C) with these differences:

- RL: DisjointClasses allows what EquivalentClasses allows, where the text allows any subclass expression; and
  xsd:unsignedInt and xsd:unsignedShort are missing among its datatypes.
- QL, RL: the fillers of data restrictions are checked by their datatypes only.

A group of triples that is no single axiom is judged by what it says (see `odd_groups`). The mapping to RDF would have
such a graph in no profile at all. What cannot be read is in none; where OWLAPI guesses what is meant, such as a
restriction without its type or with two fillers, and where it drops an axiom that lacks a part, we do not follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from kgprobe.graph.axioms.axiom_groups import Axiom
from kgprobe.graph.axioms.contents import Contents, contents_of
from kgprobe.graph.axioms.expression import Argument, Expression, is_headed, split_annotations
from kgprobe.graph.axioms.grammar import DATATYPE, INDIVIDUAL, LITERAL
from kgprobe.graph.axioms.odd_groups import statements_within
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Literal
from kgprobe.ontology.class_grammars import Position, fits
from kgprobe.ontology.datatypes import EL_DATATYPES, RL_DATATYPES
from kgprobe.ontology.dl_rules import Reason, Surroundings, dl_reasons
from kgprobe.ontology.name_kinds import NameKinds

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
    """Each group with its axiom; one that is no single axiom comes with each that it holds."""
    kinds: NameKinds | None = None
    for axiom in groups:
        if axiom.expression is not None:
            yield axiom, axiom.expression
            continue
        if kinds is None:  # most graphs have no such group
            kinds = NameKinds(Graph(triple for each in groups for triple in each.triples))
        yield from ((axiom, tree) for tree in statements_within(axiom.triples, kinds))


def _reasons(
    tree: Expression | None, wanted: tuple[Profile, ...], around: Surroundings
) -> Iterator[tuple[Profile, Reason]]:
    if tree is None:
        yield from ((profile, Reason("triples that are no axiom of OWL 2")) for profile in wanted)
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
        *("ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"),
        *("DataMinCardinality", "DataMaxCardinality", "DataExactCardinality"),
    },
    Profile.QL: _ILLEGAL_RANGES | {"DataOneOf"},
    Profile.RL: _ILLEGAL_RANGES | {"DataOneOf"},
}
_DATATYPES = {Profile.EL: EL_DATATYPES, Profile.QL: EL_DATATYPES, Profile.RL: RL_DATATYPES}

# Which arguments of an axiom are class expressions, and where these stand.
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
    """What the three profiles have in common: lists of constructs and of datatypes."""
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
