"""Random small ontologies: few names, so that axioms meet, and few kinds of construct in each, so that all pairs occur.

They keep to OWL 2 DL: a property that is made of others is neither counted nor functional, irreflexive, asymmetric or
disjoint with another, since reasoners refuse that.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import OWL, RDFS, XSD, Literal, NamedNode, Term
from kgprobe.reasoners.ontology import Ontology

Thing = TypeVar("Thing")
Part = str | int | Term | Expression

CLASSES, SIMPLE, COMPOSITE, INDIVIDUALS, DATA = (
    [NamedNode(f"urn:random:{name}") for name in names] for names in ("ABC", "pqr", "tu", "abc", "de")
)
DEFINED = NamedNode("urn:random:defined")
LITERALS = [
    *(Literal(text, datatype=XSD.integer) for text in ("1", "01", "2", "7")),
    *(Literal("1", datatype=kind) for kind in (XSD.decimal, XSD.boolean, XSD.string, XSD.double)),
    *(Literal("true", datatype=XSD.boolean), Literal("x"), Literal("y"), Literal("x", language="en")),
]
DATATYPES = [
    *(XSD.integer, XSD.string, XSD.boolean, XSD.nonNegativeInteger, XSD.positiveInteger, XSD.byte, XSD.decimal),
    *(XSD.double, RDFS.Literal),
]
FACETS = [XSD.minInclusive, XSD.maxInclusive, XSD.minExclusive, XSD.maxExclusive]


class Source:
    """Draws from the constructs that one ontology uses."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._class_makers = random.sample(CLASS_MAKERS, random.randint(1, 5))
        self._range_makers = random.sample(RANGE_MAKERS, random.randint(0, 2))
        self._axiom_makers = random.sample(AXIOM_MAKERS, random.randint(2, 7)) + ABOUT_INDIVIDUALS
        self._ranges = [*DATATYPES, DEFINED, DEFINED] if random.random() < 0.15 else DATATYPES
        self._extremes = random.random() < 0.1

    def ontology(self) -> Ontology:
        """An ontology of a few axioms."""
        number = self._random.randint(3, 12)
        drawn = dict.fromkeys(self.one_of(self._axiom_makers)(self) for _ in range(number))
        return Ontology((*drawn, *([self._definition()] if DEFINED in self._ranges else [])))

    def question(self) -> Expression:
        """An axiom that may follow."""
        return self.one_of(ASKED)(self)

    def one_of(self, things: list[Thing]) -> Thing:
        return self._random.choice(things)

    def some(self, make: Callable[[], Thing], least: int = 2) -> list[Thing]:
        """Two or three different things."""
        found: dict[Thing, None] = {}
        wanted = self._random.randint(least, 3)
        for _ in range(20):
            found[make()] = None
            if len(found) == wanted:
                break
        return list(found)

    def number(self) -> int:
        return self._random.choice([0, 1, 1, 2, 2, 3])

    def kind(self, depth: int = 2) -> Part:
        """A class expression."""
        if depth == 0 or self._random.random() < 0.45:
            return self.one_of([*CLASSES, *CLASSES, OWL.Thing, OWL.Nothing])
        return self.one_of(self._class_makers)(self, depth - 1)

    def complex_kind(self) -> Part:
        return self.one_of(self._class_makers)(self, 1)

    def simple(self) -> Part:
        if self._extremes and self._random.random() < 0.2:
            return self.one_of([OWL.topObjectProperty, OWL.bottomObjectProperty])
        return self._turned(self.one_of(SIMPLE))

    def any_property(self) -> Part:
        return self._turned(self.one_of(COMPOSITE)) if self._random.random() < 0.3 else self.simple()

    def _turned(self, prop: NamedNode) -> Part:
        return ("ObjectInverseOf", prop) if self._random.random() < 0.12 else prop

    def composite(self) -> NamedNode:
        return self.one_of(COMPOSITE)

    def individual(self) -> NamedNode:
        return self.one_of(INDIVIDUALS)

    def data(self) -> NamedNode:
        if self._extremes and self._random.random() < 0.1:
            return OWL.bottomDataProperty
        return self.one_of(DATA)

    def literal(self) -> Literal:
        return self.one_of(LITERALS)

    def range(self, depth: int = 1) -> Part:
        """A data range."""
        if depth and self._range_makers and self._random.random() < 0.6:
            return self.one_of(self._range_makers)(self, depth - 1)
        return self.one_of(self._ranges)

    def _definition(self) -> Expression:
        """OWL 2 DL lets a datatype be defined once only."""
        return ("DatatypeDefinition", DEFINED, ("DataOneOf", *self.some(self.literal, 1)))


ClassMaker = Callable[[Source, int], Expression]
AxiomMaker = Callable[[Source], Expression]

CLASS_MAKERS: list[ClassMaker] = [
    lambda s, n: ("ObjectIntersectionOf", *s.some(lambda: s.kind(n))),
    lambda s, n: ("ObjectUnionOf", *s.some(lambda: s.kind(n))),
    lambda s, n: ("ObjectComplementOf", s.kind(n)),
    lambda s, _: ("ObjectOneOf", *s.some(s.individual, 1)),
    lambda s, n: ("ObjectSomeValuesFrom", s.any_property(), s.kind(n)),
    lambda s, n: ("ObjectAllValuesFrom", s.any_property(), s.kind(n)),
    lambda s, _: ("ObjectHasValue", s.any_property(), s.individual()),
    lambda s, _: ("ObjectHasSelf", s.simple()),
    lambda s, n: ("ObjectMinCardinality", s.number(), s.simple(), s.kind(n)),
    lambda s, n: ("ObjectMaxCardinality", s.number(), s.simple(), s.kind(n)),
    lambda s, n: ("ObjectExactCardinality", s.number(), s.simple(), s.kind(n)),
    lambda s, _: ("ObjectMinCardinality", s.number(), s.simple()),
    lambda s, _: ("ObjectMaxCardinality", s.number(), s.simple()),
    lambda s, _: ("DataSomeValuesFrom", s.data(), s.range()),
    lambda s, _: ("DataAllValuesFrom", s.data(), s.range()),
    lambda s, _: ("DataHasValue", s.data(), s.literal()),
    lambda s, _: ("DataMinCardinality", s.number(), s.data(), s.range()),
    lambda s, _: ("DataMaxCardinality", s.number(), s.data(), s.range()),
    lambda s, _: ("DataExactCardinality", s.number(), s.data()),
    lambda s, _: ("DataMinCardinality", s.number(), s.data()),
    lambda s, _: ("DataMaxCardinality", s.number(), s.data()),
]
RANGE_MAKERS: list[ClassMaker] = [
    lambda s, n: ("DataIntersectionOf", *s.some(lambda: s.range(n))),
    lambda s, n: ("DataUnionOf", *s.some(lambda: s.range(n))),
    lambda s, n: ("DataComplementOf", s.range(n)),
    lambda s, _: ("DataOneOf", *s.some(s.literal, 1)),
    lambda s, _: ("DatatypeRestriction", XSD.integer, s.one_of(FACETS), s.one_of(LITERALS[:4])),
]
AXIOM_MAKERS: list[AxiomMaker] = [
    *[lambda s: ("SubClassOf", s.kind(), s.kind())] * 3,
    lambda s: ("SubClassOf", s.one_of(CLASSES), s.complex_kind()),
    lambda s: ("SubClassOf", s.complex_kind(), s.one_of([*CLASSES, OWL.Nothing])),
    lambda s: ("SubClassOf", OWL.Thing, s.complex_kind()),
    lambda s: ("EquivalentClasses", *s.some(s.kind)),
    lambda s: ("DisjointClasses", *s.some(s.kind)),
    lambda s: ("DisjointUnion", s.one_of(CLASSES), *s.some(s.kind)),
    lambda s: ("SubObjectPropertyOf", s.simple(), s.simple()),
    lambda s: ("SubObjectPropertyOf", s.simple(), s.composite()),
    lambda s: ("SubObjectPropertyOf", ("ObjectPropertyChain", s.simple(), s.simple()), s.composite()),
    lambda s: ("TransitiveObjectProperty", s.composite()),
    lambda s: ("EquivalentObjectProperties", *s.some(s.simple)),
    lambda s: ("DisjointObjectProperties", *s.some(s.simple)),
    lambda s: ("InverseObjectProperties", s.simple(), s.simple()),
    lambda s: ("ObjectPropertyDomain", s.any_property(), s.kind()),
    lambda s: ("ObjectPropertyRange", s.any_property(), s.kind()),
    lambda s: ("FunctionalObjectProperty", s.simple()),
    lambda s: ("InverseFunctionalObjectProperty", s.simple()),
    lambda s: ("ReflexiveObjectProperty", s.any_property()),
    lambda s: ("IrreflexiveObjectProperty", s.simple()),
    lambda s: ("SymmetricObjectProperty", s.any_property()),
    lambda s: ("AsymmetricObjectProperty", s.simple()),
    lambda s: ("SubDataPropertyOf", s.data(), s.data()),
    lambda _: ("EquivalentDataProperties", *DATA),
    lambda _: ("DisjointDataProperties", *DATA),
    lambda s: ("DataPropertyDomain", s.data(), s.kind()),
    lambda s: ("DataPropertyRange", s.data(), s.range()),
    lambda s: ("FunctionalDataProperty", s.data()),
    lambda s: ("HasKey", s.one_of([*CLASSES, OWL.Thing]), ("", s.simple()), ("",)),
    lambda s: ("HasKey", s.one_of([*CLASSES, OWL.Thing]), ("",), ("", s.data())),
    lambda s: ("SameIndividual", *s.some(s.individual)),
    lambda s: ("NegativeObjectPropertyAssertion", s.any_property(), s.individual(), s.individual()),
    lambda s: ("NegativeDataPropertyAssertion", s.data(), s.individual(), s.literal()),
    lambda s: ("DataPropertyAssertion", s.data(), s.individual(), s.literal()),
]
ABOUT_INDIVIDUALS: list[AxiomMaker] = [
    lambda s: ("ClassAssertion", s.kind(), s.individual()),
    lambda s: ("ClassAssertion", s.complex_kind(), s.individual()),
    lambda s: ("ObjectPropertyAssertion", s.any_property(), s.individual(), s.individual()),
    lambda s: ("DifferentIndividuals", *s.some(s.individual)),
]
ASKED: list[AxiomMaker] = [
    lambda s: ("SubClassOf", s.kind(1), s.kind(1)),
    lambda s: ("ClassAssertion", s.kind(1), s.individual()),
    lambda s: ("ObjectPropertyAssertion", s.one_of([*SIMPLE, *COMPOSITE]), s.individual(), s.individual()),
    lambda _: ("SameIndividual", *INDIVIDUALS[:2]),
    lambda _: ("DifferentIndividuals", *INDIVIDUALS[:2]),
    lambda s: ("SubObjectPropertyOf", *s.some(lambda: s.one_of(SIMPLE), 2)[:2]),
    lambda s: ("ObjectPropertyDomain", s.any_property(), s.kind(1)),
    lambda s: ("ObjectPropertyRange", s.any_property(), s.kind(1)),
    lambda s: ("FunctionalObjectProperty", s.one_of(SIMPLE)),
    lambda s: ("DataPropertyAssertion", s.one_of(DATA), s.individual(), s.literal()),
]
