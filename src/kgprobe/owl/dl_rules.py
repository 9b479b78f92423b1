"""The rules of OWL 2 DL. Each reports why an axiom breaks it.

Sections 3, 5 and 11 of the structural specification, as OWLAPI checks them. Where the two differ, the verdict is
OWLAPI's, because the tools around an ontology use it:

- A mere declaration breaks no rule, nor does anything in an annotation other than the property of an annotation
  assertion. The specification applies the rules on names to both.
- An anonymous individual may occur in any pattern; the specification asks for forests.
- DisjointClasses may name one class twice: OWLAPI reads it as disjoint with owl:Thing.
- Rules (SWRL) are not a violation by themselves. The properties of their annotations must be declared, because OWLAPI
  reads those that are not as annotations of the rule's blank node.

Literals are an exception: OWLAPI never sees some that are ill-formed, because it reads `"yes"^^xsd:boolean` as false,
and refuses good ones, such as `"ab"^^xsd:NCName`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, is_well_formed
from kgprobe.owl.expression import (
    Argument,
    Expression,
    inner,
    inverse,
    is_headed,
    name,
    split_annotations,
    term,
    without_annotations,
)
from kgprobe.owl.grammar import (
    ANNOTATION_PROPERTY,
    CHAINS,
    CLASS,
    DATA_PROPERTY,
    DATATYPE,
    INDIVIDUAL,
    LITERAL,
    OBJECT_COUNTS,
    OBJECT_PROPERTY,
    Contents,
    contents_of,
)
from kgprobe.owl.meaning import simpler
from kgprobe.owl.name_kinds import BUILT_IN
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an axiom breaks a rule: the rule, and the name or expression that does it."""

    rule: str
    culprit: Argument | None = None


_Arguments: TypeAlias = tuple[Argument, ...]

_RESERVED = (OWL.iri, RDF.iri, RDFS.iri, XSD.iri)
_PROPERTY_KINDS = (OBJECT_PROPERTY, DATA_PROPERTY, ANNOTATION_PROPERTY)
_WORDS = {
    CLASS: "class",
    DATATYPE: "datatype",
    INDIVIDUAL: "individual",
    OBJECT_PROPERTY: "object property",
    DATA_PROPERTY: "data property",
    ANNOTATION_PROPERTY: "annotation property",
}


@dataclass
class Surroundings:
    """The facts about all other axioms that the rules need."""

    trees: list[Expression]
    declared: set[tuple[str, Term]] = field(default_factory=set)
    used: set[tuple[str, Term]] = field(default_factory=set)
    definitions: dict[Term, list[Argument]] = field(default_factory=lambda: defaultdict(list))
    ranges: dict[Property, list[Argument]] = field(default_factory=lambda: defaultdict(list))
    judged: dict[tuple[str, Term], tuple[Reason, ...]] = field(default_factory=dict)
    """The reasons for names and literals found so far, because most occur many times."""

    @classmethod
    def of(cls, trees: Iterable[Expression]) -> Surroundings:
        found = cls(list(trees))
        for tree in found.trees:
            found._note(tree)
        return found

    def _note(self, tree: Expression) -> None:
        head, (_, arguments) = tree.head, split_annotations(tree)
        contents = contents_of(tree)
        self.used.update((kind, name) for kind, name in contents.names if kind != LITERAL)
        self.used.update((DATATYPE, name.datatype) for _, name in contents.names if type(name) is Literal)
        self.used.update((ANNOTATION_PROPERTY, prop) for prop in contents.annotation_properties)
        if head == "Declaration":
            entity = inner(arguments[0])
            self.declared.add((entity.head, term(entity.args[0])))
        elif head == "DatatypeDefinition":
            self.definitions[term(arguments[0])].append(arguments[1])
        elif head == "ObjectPropertyRange":
            self.ranges[arguments[0]].append(arguments[1])

    @cached_property
    def order(self) -> PropertyOrder:
        return PropertyOrder(self.trees)

    def defines_itself(self, datatype: Term) -> bool:
        """Whether the definition of a datatype leads back to it."""

        def used_in(defined: Term) -> Iterator[Term]:
            return (used for definition in self.definitions.get(defined, ()) for used in _datatypes(definition))

        return datatype in reached(used_in(datatype), used_in)


def dl_reasons(contents: Contents, around: Surroundings) -> Iterator[Reason]:
    """Why an axiom is not allowed in OWL 2 DL."""
    names = contents.names
    if contents.expressions[0].head == "DLSafeRule":
        names = [*names, *((ANNOTATION_PROPERTY, prop) for prop in contents.annotation_properties)]
    for named in dict.fromkeys(names):
        if named not in around.judged:
            around.judged[named] = tuple(_term_reasons(*named, around))
        yield from around.judged[named]
    for expression in contents.expressions:
        rule = _RULES.get(expression.head)
        if rule is not None:
            yield from rule(split_annotations(expression)[1], around)


def _term_reasons(kind: str, term: Term, around: Surroundings) -> Iterator[Reason]:
    if type(term) is Literal:
        yield from _literal_reasons(term)
    elif type(term) is NamedNode:
        yield from _name_reasons(kind, term, around)


def _name_reasons(kind: str, name: NamedNode, around: Surroundings) -> Iterator[Reason]:
    if _is_built_in(kind, name):
        return
    if kind == DATATYPE and name.value.startswith(XSD.iri):
        yield from _undeclared(kind, name, around)  # the specification allows more of these than it defines
    elif name.value.startswith(_RESERVED):
        yield Reason(f"reserved name used for {_with_article(kind)}", name)
        if kind == DATATYPE:
            yield from _undeclared(kind, name, around)
    elif kind != INDIVIDUAL:
        yield from _undeclared(kind, name, around)
    others = _PROPERTY_KINDS if kind in _PROPERTY_KINDS else (CLASS, DATATYPE) if kind in (CLASS, DATATYPE) else ()
    for other in others:
        if other != kind and (other, name) in around.used:
            yield Reason(f"name used both for {_with_article(kind)} and for {_with_article(other)}", name)


def _undeclared(kind: str, name: NamedNode, around: Surroundings) -> Iterator[Reason]:
    if (kind, name) not in around.declared:
        yield Reason(f"undeclared {_WORDS[kind]}", name)


def _with_article(kind: str) -> str:
    word = _WORDS[kind]
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _is_built_in(kind: str, name: NamedNode) -> bool:
    return name in BUILT_IN_DATATYPES if kind == DATATYPE else BUILT_IN.get(name) == kind


def _literal_reasons(literal: Literal) -> Iterator[Reason]:
    if literal.datatype not in BUILT_IN_DATATYPES:
        yield Reason("literal of a datatype that OWL 2 does not define", literal)
    elif not is_well_formed(literal):
        yield Reason("literal that its datatype does not allow", literal)


# -- rules of single constructs: from the arguments to the reasons -----------------------------------------------------


def _needs_simple(place: int) -> Callable[[_Arguments, Surroundings], Iterator[Reason]]:
    def rule(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
        prop = arguments[place]
        if not around.order.is_simple(prop):
            yield Reason("property that is not simple, where it must be simple", prop)

    return rule


def _two_different(arguments: _Arguments, _: Surroundings) -> Iterator[Reason]:
    """The arguments are a set: those that occur twice count once."""
    if len(set(arguments)) < 2:
        yield Reason("the same thing again, where there must be two", arguments[0])


def _disjoint_union(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
    yield from _two_different(arguments[1:], around)


def _disjoint_properties(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
    yield from _two_different(arguments, around)
    for place in range(len(arguments)):
        yield from _needs_simple(place)(arguments, around)


def _sub_object_property(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
    chain = arguments[0]
    if is_headed(chain, "ObjectPropertyChain"):
        member = around.order.circular(chain, arguments[1])
        if member is not None:
            yield Reason("property chain that leads back to its own members", member)


def _sub_data_property(arguments: _Arguments, _: Surroundings) -> Iterator[Reason]:
    if arguments[0] == OWL.topDataProperty:
        yield Reason("owl:topDataProperty below another property", OWL.topDataProperty)


def _datatype_definition(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
    defined = name(arguments[0])
    if defined.value.startswith(_RESERVED):
        yield Reason("definition of a reserved datatype", defined)
    if around.defines_itself(defined):
        yield Reason("datatype that is defined by itself", defined)


def _datatype_restriction(arguments: _Arguments, around: Surroundings) -> Iterator[Reason]:
    restricted = name(arguments[0])
    if restricted in around.definitions:
        yield Reason("restriction of a datatype that has a definition", restricted)
    known = BUILT_IN_DATATYPES.get(restricted)
    for facet in map(name, arguments[1::2]):
        if known is None or facet not in known.facets:
            yield Reason("facet that the datatype does not have", facet)


def _ontology(arguments: _Arguments, _: Surroundings) -> Iterator[Reason]:
    for iri in arguments[:2]:
        if type(iri) is NamedNode and iri.value.startswith(_RESERVED):
            yield Reason("reserved name used for an ontology", iri)


def _datatypes(definition: Argument) -> Iterator[Term]:
    if type(definition) is not Expression:
        yield term(definition)
        return
    yield from (datatype for kind, datatype in contents_of(definition).names if kind == DATATYPE)


_RULES: dict[str, Callable[[_Arguments, Surroundings], Iterator[Reason]]] = {
    **dict.fromkeys(("ObjectIntersectionOf", "ObjectUnionOf", "DataIntersectionOf", "DataUnionOf"), _two_different),
    **dict.fromkeys((*CHAINS, "DisjointDataProperties", "DifferentIndividuals"), _two_different),
    "DisjointUnion": _disjoint_union,
    **dict.fromkeys(OBJECT_COUNTS, _needs_simple(1)),
    **dict.fromkeys(("ObjectHasSelf", "FunctionalObjectProperty", "InverseFunctionalObjectProperty"), _needs_simple(0)),
    **dict.fromkeys(("IrreflexiveObjectProperty", "AsymmetricObjectProperty"), _needs_simple(0)),
    "DisjointObjectProperties": _disjoint_properties,
    "SubObjectPropertyOf": _sub_object_property,
    "SubDataPropertyOf": _sub_data_property,
    "DatatypeDefinition": _datatype_definition,
    "DatatypeRestriction": _datatype_restriction,
    "Ontology": _ontology,
}


# -- the order of object properties: section 11 of the structural specification ----------------------------------------
# This order is exact, and needs all axioms. `mutation.profile_rules` only reads the triples around a few properties,
# and answers "no" where it would have to read more, because operators ask it for each match.

Property: TypeAlias = Argument  # a name, or ObjectInverseOf(name)
_Edges: TypeAlias = "dict[Property, set[Property]]"


class PropertyOrder:
    """The order of the properties in some axioms."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._implied: _Edges = defaultdict(set)
        self._later: _Edges = defaultdict(set)
        composite: set[Property] = {OWL.topObjectProperty, OWL.bottomObjectProperty}
        for lower, upper in _sub_properties(axioms):
            if is_headed(lower, "ObjectPropertyChain"):
                composite.add(upper)
                for member in lower.args:
                    self._later[member].add(upper)
                    self._later[inverse(member)].add(inverse(upper))
            else:
                self._implied[lower].add(upper)
                self._implied[inverse(lower)].add(inverse(upper))
        composite |= {inverse(prop) for prop in composite}
        self._not_simple = _reachable(composite, self._implied)
        self._after: dict[Property, Collection[Property]] = {}

    def is_simple(self, prop: Property) -> bool:
        """Whether no chain and no transitive property implies the property."""
        return prop not in self._not_simple

    def implied_by(self, prop: Property) -> Collection[Property]:
        """The property, and all that it implies."""
        return _reachable({prop}, self._implied)

    def circular(self, chain: Expression, implied: Property) -> Property | None:
        """A member of a chain that the implied property comes before, where the order allows no chain to exist."""
        members = chain.args
        if implied == OWL.topObjectProperty or members == (implied, implied):
            return None
        after = self._after.get(implied)
        if after is None:
            after = self._after[implied] = _reachable({implied}, self._implied, self._later)
        for place, member in enumerate(members):
            # The implied property itself may be at one end of the chain.
            is_end = place in (0, len(members) - 1)
            if member in after and not (is_end and member == implied and self._other_end(place, members) not in after):
                return member
        return None

    @staticmethod
    def _other_end(place: int, members: tuple[Property, ...]) -> Property:
        return members[-1] if place == 0 else members[0]


def _sub_properties(axioms: Iterable[Expression]) -> Iterator[tuple[Argument, Argument]]:
    """What the axioms say about subproperties: a property or a chain, and the property above it."""
    for axiom in axioms:
        stated = without_annotations(axiom)
        for part in (stated, *simpler(stated)):
            if part.head == "SubObjectPropertyOf":
                yield part.args[0], part.args[1]


def _reachable(start: Iterable[Property], *edges: _Edges) -> Collection[Property]:
    return reached(start, lambda prop: (greater for following in edges for greater in following.get(prop, ())))
