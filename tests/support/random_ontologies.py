"""Random small ontologies: few names, so that axioms meet, and few kinds of construct in each, so that all pairs occur.

They stay within OWL 2 DL: a composite property is neither counted nor functional, irreflexive, asymmetric or
disjoint with another, since reasoners refuse that.

A mix names constructs that are hard for reasoners when they meet. Its ontologies use those, all or some of them, and
more often say that individuals differ: without that, a reasoner can merge what it cannot count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from kgprobe.owl.expression import Expression
from kgprobe.rdf.terms import OWL, RDFS, XSD, Literal, NamedNode, Term
from kgprobe.reasoners.ontology import Ontology

Thing = TypeVar("Thing")
Part = int | Term | Expression

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


@dataclass(frozen=True)
class Mix:
    """The constructs of some ontologies, by the names that functional syntax gives them."""

    constructs: frozenset[str]
    has_extremes: bool = False


class Source:
    """Draws from the constructs that one ontology uses."""

    def __init__(self, random: Random, mix: Mix | None = None) -> None:
        self._random = random
        self._mix = mix
        class_makers, range_makers, axiom_makers = (
            [make for make in makers if mix is None or make.head in mix.constructs]
            for makers in (CLASS_MAKERS, RANGE_MAKERS, AXIOM_MAKERS)
        )
        self._class_makers = random.sample(class_makers, min(random.randint(1, 5), len(class_makers)))
        self._range_makers = random.sample(range_makers, min(random.randint(0, 2), len(range_makers)))
        self._axiom_makers = random.sample(axiom_makers, min(random.randint(2, 7), len(axiom_makers)))
        self._axiom_makers += ABOUT_INDIVIDUALS
        self._ranges = [*DATATYPES, DEFINED, DEFINED] if mix is None and random.random() < 0.15 else DATATYPES
        self._simple = SIMPLE if mix is None else random.sample(SIMPLE, 2)
        self._extremes = mix.has_extremes if mix is not None else random.random() < 0.1

    def ontology(self) -> Ontology:
        """An ontology of a few axioms."""
        number = self._random.randint(3, 12)
        drawn = dict.fromkeys(self.one_of(self._axiom_makers)(self) for _ in range(number))
        if self._mix is not None and self._random.random() < 0.6:
            drawn[Expression("DifferentIndividuals", *INDIVIDUALS)] = None
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
        return self._turned(self.one_of(self._simple))

    def any_property(self) -> Part:
        return self._turned(self.one_of(COMPOSITE)) if self._random.random() < 0.3 else self.simple()

    def _turned(self, prop: NamedNode) -> Part:
        return Expression("ObjectInverseOf", prop) if self._random.random() < 0.12 else prop

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
        """OWL 2 DL allows only one definition of a datatype."""
        return Expression("DatatypeDefinition", DEFINED, Expression("DataOneOf", *self.some(self.literal, 1)))


@dataclass(frozen=True, eq=False)
class Maker:
    """Makes expressions of one kind: draws the parts of each."""

    head: str
    parts: Callable[..., Sequence[Part]]

    def __call__(self, source: Source, *depth: int) -> Expression:
        return Expression(self.head, *self.parts(source, *depth))


CLASS_MAKERS: list[Maker] = [
    Maker("ObjectIntersectionOf", lambda s, n: (*s.some(lambda: s.kind(n)),)),
    Maker("ObjectUnionOf", lambda s, n: (*s.some(lambda: s.kind(n)),)),
    Maker("ObjectComplementOf", lambda s, n: (s.kind(n),)),
    Maker("ObjectOneOf", lambda s, _: (*s.some(s.individual, 1),)),
    Maker(
        "ObjectSomeValuesFrom",
        lambda s, n: (
            s.any_property(),
            s.kind(n),
        ),
    ),
    Maker(
        "ObjectAllValuesFrom",
        lambda s, n: (
            s.any_property(),
            s.kind(n),
        ),
    ),
    Maker(
        "ObjectHasValue",
        lambda s, _: (
            s.any_property(),
            s.individual(),
        ),
    ),
    Maker("ObjectHasSelf", lambda s, _: (s.simple(),)),
    Maker(
        "ObjectMinCardinality",
        lambda s, n: (
            s.number(),
            s.simple(),
            s.kind(n),
        ),
    ),
    Maker(
        "ObjectMaxCardinality",
        lambda s, n: (
            s.number(),
            s.simple(),
            s.kind(n),
        ),
    ),
    Maker(
        "ObjectExactCardinality",
        lambda s, n: (
            s.number(),
            s.simple(),
            s.kind(n),
        ),
    ),
    Maker(
        "ObjectMinCardinality",
        lambda s, _: (
            s.number(),
            s.simple(),
        ),
    ),
    Maker(
        "ObjectMaxCardinality",
        lambda s, _: (
            s.number(),
            s.simple(),
        ),
    ),
    Maker(
        "DataSomeValuesFrom",
        lambda s, _: (
            s.data(),
            s.range(),
        ),
    ),
    Maker(
        "DataAllValuesFrom",
        lambda s, _: (
            s.data(),
            s.range(),
        ),
    ),
    Maker(
        "DataHasValue",
        lambda s, _: (
            s.data(),
            s.literal(),
        ),
    ),
    Maker(
        "DataMinCardinality",
        lambda s, _: (
            s.number(),
            s.data(),
            s.range(),
        ),
    ),
    Maker(
        "DataMaxCardinality",
        lambda s, _: (
            s.number(),
            s.data(),
            s.range(),
        ),
    ),
    Maker(
        "DataExactCardinality",
        lambda s, _: (
            s.number(),
            s.data(),
        ),
    ),
    Maker(
        "DataMinCardinality",
        lambda s, _: (
            s.number(),
            s.data(),
        ),
    ),
    Maker(
        "DataMaxCardinality",
        lambda s, _: (
            s.number(),
            s.data(),
        ),
    ),
]
RANGE_MAKERS: list[Maker] = [
    Maker("DataIntersectionOf", lambda s, n: (*s.some(lambda: s.range(n)),)),
    Maker("DataUnionOf", lambda s, n: (*s.some(lambda: s.range(n)),)),
    Maker("DataComplementOf", lambda s, n: (s.range(n),)),
    Maker("DataOneOf", lambda s, _: (*s.some(s.literal, 1),)),
    Maker(
        "DatatypeRestriction",
        lambda s, _: (
            XSD.integer,
            s.one_of(FACETS),
            s.one_of(LITERALS[:4]),
        ),
    ),
]
AXIOM_MAKERS: list[Maker] = [
    *[
        Maker(
            "SubClassOf",
            lambda s: (
                s.kind(),
                s.kind(),
            ),
        )
    ]
    * 3,
    Maker(
        "SubClassOf",
        lambda s: (
            s.one_of(CLASSES),
            s.complex_kind(),
        ),
    ),
    Maker(
        "SubClassOf",
        lambda s: (
            s.complex_kind(),
            s.one_of([*CLASSES, OWL.Nothing]),
        ),
    ),
    Maker(
        "SubClassOf",
        lambda s: (
            OWL.Thing,
            s.complex_kind(),
        ),
    ),
    Maker("EquivalentClasses", lambda s: (*s.some(s.kind),)),
    Maker("DisjointClasses", lambda s: (*s.some(s.kind),)),
    Maker(
        "DisjointUnion",
        lambda s: (
            s.one_of(CLASSES),
            *s.some(s.kind),
        ),
    ),
    Maker(
        "SubObjectPropertyOf",
        lambda s: (
            s.simple(),
            s.simple(),
        ),
    ),
    Maker(
        "SubObjectPropertyOf",
        lambda s: (
            s.simple(),
            s.composite(),
        ),
    ),
    Maker(
        "SubObjectPropertyOf",
        lambda s: (
            Expression("ObjectPropertyChain", s.simple(), s.simple()),
            s.composite(),
        ),
    ),
    Maker("TransitiveObjectProperty", lambda s: (s.composite(),)),
    Maker("EquivalentObjectProperties", lambda s: (*s.some(s.simple),)),
    Maker("DisjointObjectProperties", lambda s: (*s.some(s.simple),)),
    Maker(
        "InverseObjectProperties",
        lambda s: (
            s.simple(),
            s.simple(),
        ),
    ),
    Maker(
        "ObjectPropertyDomain",
        lambda s: (
            s.any_property(),
            s.kind(),
        ),
    ),
    Maker(
        "ObjectPropertyRange",
        lambda s: (
            s.any_property(),
            s.kind(),
        ),
    ),
    Maker("FunctionalObjectProperty", lambda s: (s.simple(),)),
    Maker("InverseFunctionalObjectProperty", lambda s: (s.simple(),)),
    Maker("ReflexiveObjectProperty", lambda s: (s.any_property(),)),
    Maker("IrreflexiveObjectProperty", lambda s: (s.simple(),)),
    Maker("SymmetricObjectProperty", lambda s: (s.any_property(),)),
    Maker("AsymmetricObjectProperty", lambda s: (s.simple(),)),
    Maker(
        "SubDataPropertyOf",
        lambda s: (
            s.data(),
            s.data(),
        ),
    ),
    Maker("EquivalentDataProperties", lambda _: (*DATA,)),
    Maker("DisjointDataProperties", lambda _: (*DATA,)),
    Maker(
        "DataPropertyDomain",
        lambda s: (
            s.data(),
            s.kind(),
        ),
    ),
    Maker(
        "DataPropertyRange",
        lambda s: (
            s.data(),
            s.range(),
        ),
    ),
    Maker("FunctionalDataProperty", lambda s: (s.data(),)),
    Maker(
        "HasKey",
        lambda s: (
            s.one_of([*CLASSES, OWL.Thing]),
            Expression("", s.simple()),
            Expression(""),
        ),
    ),
    Maker(
        "HasKey",
        lambda s: (
            s.one_of([*CLASSES, OWL.Thing]),
            Expression(""),
            Expression("", s.data()),
        ),
    ),
    Maker("SameIndividual", lambda s: (*s.some(s.individual),)),
    Maker(
        "NegativeObjectPropertyAssertion",
        lambda s: (
            s.any_property(),
            s.individual(),
            s.individual(),
        ),
    ),
    Maker(
        "NegativeDataPropertyAssertion",
        lambda s: (
            s.data(),
            s.individual(),
            s.literal(),
        ),
    ),
    Maker(
        "DataPropertyAssertion",
        lambda s: (
            s.data(),
            s.individual(),
            s.literal(),
        ),
    ),
]
ABOUT_INDIVIDUALS: list[Maker] = [
    Maker(
        "ClassAssertion",
        lambda s: (
            s.kind(),
            s.individual(),
        ),
    ),
    Maker(
        "ClassAssertion",
        lambda s: (
            s.complex_kind(),
            s.individual(),
        ),
    ),
    Maker(
        "ObjectPropertyAssertion",
        lambda s: (
            s.any_property(),
            s.individual(),
            s.individual(),
        ),
    ),
    Maker("DifferentIndividuals", lambda s: (*s.some(s.individual),)),
]
ASKED: list[Maker] = [
    Maker(
        "SubClassOf",
        lambda s: (
            s.kind(1),
            s.kind(1),
        ),
    ),
    Maker(
        "ClassAssertion",
        lambda s: (
            s.kind(1),
            s.individual(),
        ),
    ),
    Maker(
        "ObjectPropertyAssertion",
        lambda s: (
            s.one_of([*SIMPLE, *COMPOSITE]),
            s.individual(),
            s.individual(),
        ),
    ),
    Maker("SameIndividual", lambda _: (*INDIVIDUALS[:2],)),
    Maker("DifferentIndividuals", lambda _: (*INDIVIDUALS[:2],)),
    Maker("SubObjectPropertyOf", lambda s: (*s.some(lambda: s.one_of(SIMPLE), 2)[:2],)),
    Maker(
        "ObjectPropertyDomain",
        lambda s: (
            s.any_property(),
            s.kind(1),
        ),
    ),
    Maker(
        "ObjectPropertyRange",
        lambda s: (
            s.any_property(),
            s.kind(1),
        ),
    ),
    Maker("FunctionalObjectProperty", lambda s: (s.one_of(SIMPLE),)),
    Maker(
        "DataPropertyAssertion",
        lambda s: (
            s.one_of(DATA),
            s.individual(),
            s.literal(),
        ),
    ),
]


_OBJECT_CLASSES = frozenset(make.head for make in CLASS_MAKERS if make.head.startswith("Object"))
_COUNTS = frozenset(head for head in _OBJECT_CLASSES if head.endswith("Cardinality"))
_ABOUT_CLASSES = frozenset({"SubClassOf", "EquivalentClasses", "DisjointClasses", "DisjointUnion"})
_NOMINALS = frozenset({"ObjectOneOf", "ObjectHasValue", "SameIndividual"})
_BOOLEANS = frozenset({"ObjectUnionOf", "ObjectComplementOf", "ObjectIntersectionOf"})
_QUANTIFIERS = frozenset({"ObjectSomeValuesFrom", "ObjectAllValuesFrom"})
_FUNCTIONS = frozenset({"FunctionalObjectProperty", "InverseFunctionalObjectProperty"})
_OF_PROPERTIES = frozenset(
    make.head for make in AXIOM_MAKERS if "ObjectPropert" in make.head and "Assertion" not in make.head
)
_OF_DATA = frozenset(make.head for make in [*CLASS_MAKERS, *RANGE_MAKERS, *AXIOM_MAKERS] if "Data" in make.head)

MIXES = {
    # Few places for many individuals.
    "pigeonholes": Mix(
        _ABOUT_CLASSES | _NOMINALS | _QUANTIFIERS | _FUNCTIONS | {"ObjectUnionOf", "InverseObjectProperties"}
    ),
    "counts": Mix(
        _ABOUT_CLASSES | _COUNTS | _FUNCTIONS | {"ObjectOneOf", "ObjectPropertyRange", "SubObjectPropertyOf"}
    ),
    "keys": Mix(
        _ABOUT_CLASSES
        | _NOMINALS
        | {"HasKey", "DataHasValue", "ObjectSomeValuesFrom", "DataPropertyAssertion"}
        | {"FunctionalDataProperty", "FunctionalObjectProperty", "DataSomeValuesFrom", "DataOneOf"}
    ),
    "properties": Mix(
        _OF_PROPERTIES | _QUANTIFIERS | {"ObjectHasSelf", "SubClassOf", "NegativeObjectPropertyAssertion"}
    ),
    "counted properties": Mix(_OF_PROPERTIES | _COUNTS | _NOMINALS | {"ObjectHasSelf", "SubClassOf"}),
    "data": Mix(
        _OF_DATA | {"SubClassOf", "EquivalentClasses", "ObjectUnionOf", "ObjectComplementOf", "SameIndividual"}
    ),
    "objects and data": Mix(_OF_DATA | _ABOUT_CLASSES | _COUNTS | _FUNCTIONS | _NOMINALS | _QUANTIFIERS),
    "universal": Mix(_OF_PROPERTIES | _OBJECT_CLASSES | _ABOUT_CLASSES, has_extremes=True),
    "classes": Mix(_ABOUT_CLASSES | _BOOLEANS | _QUANTIFIERS | {"ObjectPropertyDomain", "ObjectPropertyRange"}),
}
