"""Clashes: each feature of OWL fires, does not fire without cause, and is explained by the fewest axioms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from support.clashes import axioms, schema, statements
from support.shared_data import needs_shared_data, shared

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.clash import ClashFinder, Decision
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.schema import load_schema
from kgprobe.queries.statements import Statement, variable
from kgprobe.rdf.terms import NamedNode


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    opened = Engines()
    yield opened
    opened.close()


SOCIAL = (
    "DisjointClasses(:User :Activity) SubClassOf(:Event :Activity) SubClassOf(:Talk :Event)"
    " ObjectPropertyDomain(:likes :User) ObjectPropertyRange(:likes :Activity) InverseObjectProperties(:likes :likedBy)"
    " DataPropertyDomain(:age :User) DataPropertyRange(:age xsd:integer) FunctionalDataProperty(:age)"
)
TWO_PEOPLE = "ClassAssertion(:Person :ann) ClassAssertion(:Person :bob) DifferentIndividuals(:ann :bob)"

# The ontology, the patterns, the axioms of the clash, and the patterns that take part.
CLASHES: dict[str, tuple[str, Sequence[str], str, tuple[int, ...]]] = {
    "disjoint classes": (
        SOCIAL,
        ["ClassAssertion(:Talk v:x)", "ClassAssertion(:Thing v:x)", "ClassAssertion(:User v:x)"],
        "SubClassOf(:Talk :Event) SubClassOf(:Event :Activity) DisjointClasses(:User :Activity)",
        (0, 2),
    ),
    "domain": (
        SOCIAL,
        ["ObjectPropertyAssertion(:likes v:e v:u)", "ClassAssertion(:Event v:e)"],
        "ObjectPropertyDomain(:likes :User) SubClassOf(:Event :Activity) DisjointClasses(:User :Activity)",
        (0, 1),
    ),
    "range of the inverse": (
        SOCIAL,
        ["ObjectPropertyAssertion(:likedBy v:e v:u)", "ClassAssertion(:Event v:u)"],
        "ObjectPropertyDomain(:likes :User) InverseObjectProperties(:likes :likedBy) SubClassOf(:Event :Activity)"
        " DisjointClasses(:User :Activity)",
        (0, 1),
    ),
    "irreflexive": (
        "IrreflexiveObjectProperty(:p) SubObjectPropertyOf(:q :p)",
        ["ObjectPropertyAssertion(:q v:x v:x)"],
        "IrreflexiveObjectProperty(:p) SubObjectPropertyOf(:q :p)",
        (0,),
    ),
    "asymmetric": (
        "AsymmetricObjectProperty(:p)",
        ["ObjectPropertyAssertion(:p v:x v:y)", "ObjectPropertyAssertion(:p v:y v:x)"],
        "AsymmetricObjectProperty(:p)",
        (0, 1),
    ),
    "functional, with different individuals": (
        f"FunctionalObjectProperty(:p) {TWO_PEOPLE}",
        ["ObjectPropertyAssertion(:p v:x :ann)", "ObjectPropertyAssertion(:p v:x :bob)"],
        "FunctionalObjectProperty(:p) DifferentIndividuals(:ann :bob)",
        (0, 1),
    ),
    "functional, with disjoint classes": (
        "FunctionalObjectProperty(:p) DisjointClasses(:A :B)",
        [
            "ObjectPropertyAssertion(:p v:x v:y)",
            "ObjectPropertyAssertion(:p v:x v:z)",
            "ClassAssertion(:A v:y)",
            "ClassAssertion(:B v:z)",
        ],
        "FunctionalObjectProperty(:p) DisjointClasses(:A :B)",
        (0, 1, 2, 3),
    ),
    "inverse functional, with different individuals": (
        f"InverseFunctionalObjectProperty(:p) {TWO_PEOPLE}",
        ["ObjectPropertyAssertion(:p :ann v:x)", "ObjectPropertyAssertion(:p :bob v:x)"],
        "InverseFunctionalObjectProperty(:p) DifferentIndividuals(:ann :bob)",
        (0, 1),
    ),
    "disjoint properties": (
        "DisjointObjectProperties(:p :q) SubObjectPropertyOf(:r :q)",
        ["ObjectPropertyAssertion(:p v:x v:y)", "ObjectPropertyAssertion(:r v:x v:y)"],
        "DisjointObjectProperties(:p :q) SubObjectPropertyOf(:r :q)",
        (0, 1),
    ),
    "at most one, of a class": (
        f"SubClassOf(:A ObjectMaxCardinality(1 :p :Person)) {TWO_PEOPLE}",
        ["ClassAssertion(:A v:x)", "ObjectPropertyAssertion(:p v:x :ann)", "ObjectPropertyAssertion(:p v:x :bob)"],
        f"SubClassOf(:A ObjectMaxCardinality(1 :p :Person)) {TWO_PEOPLE}",
        (0, 1, 2),
    ),
    "at most none": (
        "SubClassOf(:A ObjectMaxCardinality(0 :p))",
        ["ClassAssertion(:A v:x)", "ObjectPropertyAssertion(:p v:x v:y)"],
        "SubClassOf(:A ObjectMaxCardinality(0 :p))",
        (0, 1),
    ),
    "only": (
        "SubClassOf(:A ObjectAllValuesFrom(:p :B)) DisjointClasses(:B :C)",
        ["ClassAssertion(:A v:x)", "ObjectPropertyAssertion(:p v:x v:y)", "ClassAssertion(:C v:y)"],
        "SubClassOf(:A ObjectAllValuesFrom(:p :B)) DisjointClasses(:B :C)",
        (0, 1, 2),
    ),
    "a definition": (
        "EquivalentClasses(:Vegan ObjectIntersectionOf(:Person ObjectAllValuesFrom(:eats :Plant)))"
        " SubClassOf(:Steak :Meat) DisjointClasses(:Meat :Plant)",
        ["ClassAssertion(:Vegan v:x)", "ObjectPropertyAssertion(:eats v:x v:y)", "ClassAssertion(:Steak v:y)"],
        "EquivalentClasses(:Vegan ObjectIntersectionOf(:Person ObjectAllValuesFrom(:eats :Plant)))"
        " SubClassOf(:Steak :Meat) DisjointClasses(:Meat :Plant)",
        (0, 1, 2),
    ),
    "a definition from the right": (
        "EquivalentClasses(:Parent ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:child :Person)))"
        " DisjointClasses(:Parent :Childless)",
        [
            "ClassAssertion(:Person v:x)",
            "ObjectPropertyAssertion(:child v:x v:y)",
            "ClassAssertion(:Person v:y)",
            "ClassAssertion(:Childless v:x)",
        ],
        "EquivalentClasses(:Parent ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:child :Person)))"
        " DisjointClasses(:Parent :Childless)",
        (0, 1, 2, 3),
    ),
    "an unsatisfiable class": (
        "SubClassOf(:A :B) SubClassOf(:A :C) DisjointClasses(:B :C)",
        ["ClassAssertion(:A v:x)", "ObjectPropertyAssertion(:p v:x v:y)"],
        "SubClassOf(:A :B) SubClassOf(:A :C) DisjointClasses(:B :C)",
        (0,),
    ),
    "a negative assertion": (
        "NegativeObjectPropertyAssertion(:knows :ann :bob) SubObjectPropertyOf(:likes :knows)",
        ["ObjectPropertyAssertion(:likes :ann :bob)"],
        "NegativeObjectPropertyAssertion(:knows :ann :bob) SubObjectPropertyOf(:likes :knows)",
        (0,),
    ),
    "a negative assertion about data": (
        'NegativeDataPropertyAssertion(:age :ann "3"^^xsd:integer)',
        ['DataPropertyAssertion(:age :ann "3.0"^^xsd:decimal)'],
        'NegativeDataPropertyAssertion(:age :ann "3"^^xsd:integer)',
        (0,),
    ),
    "a list of individuals": (
        "EquivalentClasses(:Colour ObjectOneOf(:red :green)) ClassAssertion(:Warm :red) ClassAssertion(:Dark :green)"
        " DisjointClasses(:Neutral :Warm) DisjointClasses(:Neutral :Dark)",
        ["ClassAssertion(:Colour v:x)", "ClassAssertion(:Neutral v:x)"],
        "EquivalentClasses(:Colour ObjectOneOf(:red :green)) ClassAssertion(:Warm :red) ClassAssertion(:Dark :green)"
        " DisjointClasses(:Neutral :Warm) DisjointClasses(:Neutral :Dark)",
        (0, 1),
    ),
    "a value that all members have": (
        f"SubClassOf(:Child ObjectHasValue(:mother :ann)) FunctionalObjectProperty(:mother) {TWO_PEOPLE}",
        ["ClassAssertion(:Child v:x)", "ObjectPropertyAssertion(:mother v:x :bob)"],
        "SubClassOf(:Child ObjectHasValue(:mother :ann)) FunctionalObjectProperty(:mother)"
        " DifferentIndividuals(:ann :bob)",
        (0, 1),
    ),
    "a property chain": (
        "SubObjectPropertyOf(ObjectPropertyChain(:parent :brother) :uncle) ObjectPropertyRange(:uncle :Man)"
        " DisjointClasses(:Man :Woman)",
        [
            "ObjectPropertyAssertion(:parent v:x v:y)",
            "ObjectPropertyAssertion(:brother v:y v:z)",
            "ClassAssertion(:Woman v:z)",
        ],
        "SubObjectPropertyOf(ObjectPropertyChain(:parent :brother) :uncle) ObjectPropertyRange(:uncle :Man)"
        " DisjointClasses(:Man :Woman)",
        (0, 1, 2),
    ),
    "a transitive property": (
        "TransitiveObjectProperty(:partOf) SubClassOf(:City ObjectAllValuesFrom(:partOf :Place))"
        " DisjointClasses(:Place :Person)",
        [
            "ClassAssertion(:City v:x)",
            "ObjectPropertyAssertion(:partOf v:x v:y)",
            "ObjectPropertyAssertion(:partOf v:y v:z)",
            "ClassAssertion(:Person v:z)",
        ],
        "TransitiveObjectProperty(:partOf) SubClassOf(:City ObjectAllValuesFrom(:partOf :Place))"
        " DisjointClasses(:Place :Person)",
        (0, 1, 2, 3),
    ),
    "a value outside the range": (
        SOCIAL,
        ['DataPropertyAssertion(:age v:x "old")'],
        "DataPropertyRange(:age xsd:integer)",
        (0,),
    ),
    "an unknown value outside the range": (
        'DataPropertyRange(:age DatatypeRestriction(xsd:integer xsd:maxExclusive "150"^^xsd:integer))',
        [
            "ClassAssertion(DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer xsd:minInclusive"
            ' "200"^^xsd:integer)) v:x)'
        ],
        'DataPropertyRange(:age DatatypeRestriction(xsd:integer xsd:maxExclusive "150"^^xsd:integer))',
        (0,),
    ),
    "two values of a functional data property": (
        SOCIAL,
        ['DataPropertyAssertion(:age v:x "1"^^xsd:integer)', 'DataPropertyAssertion(:age v:x "2"^^xsd:integer)'],
        "FunctionalDataProperty(:age)",
        (0, 1),
    ),
    "a definition by values": (
        "EquivalentClasses(:Adult DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer xsd:minInclusive"
        ' "18"^^xsd:integer))) FunctionalDataProperty(:age)',
        ["ClassAssertion(:Adult v:x)", 'DataPropertyAssertion(:age v:x "12"^^xsd:integer)'],
        "EquivalentClasses(:Adult DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer xsd:minInclusive"
        ' "18"^^xsd:integer))) FunctionalDataProperty(:age)',
        (0, 1),
    ),
    "a key of named individuals": (
        f"HasKey(:Person () (:ssn)) {TWO_PEOPLE}",
        ['DataPropertyAssertion(:ssn :ann "1")', 'DataPropertyAssertion(:ssn :bob "1")'],
        f"HasKey(:Person () (:ssn)) {TWO_PEOPLE}",
        (0, 1),
    ),
    "the empty class": ("SubClassOf(:A :B)", ["ClassAssertion(owl:Nothing v:x)"], "", (0,)),
    "everything in a class": (
        "SubClassOf(owl:Thing :A) DisjointClasses(:A :B)",
        ["ClassAssertion(:B v:x)"],
        "SubClassOf(owl:Thing :A) DisjointClasses(:A :B)",
        (0,),
    ),
}


@pytest.mark.parametrize("name", CLASHES)
def test_a_clash_and_its_reason(name: str, engines: Engines) -> None:
    ontology, patterns, reason, origins = CLASHES[name]
    found = ClashFinder(schema(*axioms(ontology)), engines).find(statements(*patterns))
    assert found.clash is not None
    assert set(found.clash.axioms) == set(axioms(reason))
    assert found.clash.origins == origins
    assert not found.clash.needs_names


@pytest.mark.parametrize("name", CLASHES)
def test_without_one_of_its_axioms_or_patterns_it_is_not_a_clash(name: str, engines: Engines) -> None:
    ontology, patterns, reason, origins = CLASHES[name]
    given = [statement for statement in statements(*patterns) if statement.origin in origins]
    stated = axioms(ontology)
    for left_out in axioms(reason):
        rest = schema(*(axiom for axiom in stated if axiom != left_out))
        assert ClashFinder(rest, engines).find(given).clash is None, left_out
    finder = ClashFinder(schema(*stated), engines)
    for origin in origins:
        assert finder.find([each for each in given if each.origin != origin]).clash is None, origin


# Statements that contradict nothing: no unique names, open world, blank nodes, values by value.
PEACE: dict[str, tuple[str, Sequence[str]]] = {
    "functional, without different individuals": (
        "FunctionalObjectProperty(:p) ClassAssertion(:Person :ann) ClassAssertion(:Person :bob)",
        ["ObjectPropertyAssertion(:p v:x :ann)", "ObjectPropertyAssertion(:p v:x :bob)"],
    ),
    "no declared disjointness": (
        "ObjectPropertyDomain(:p :A) SubClassOf(:B :C)",
        ["ObjectPropertyAssertion(:p v:x v:y)", "ClassAssertion(:B v:x)"],
    ),
    "at most one": (
        "SubClassOf(:A ObjectMaxCardinality(1 :p))",
        ["ClassAssertion(:A v:x)", "ObjectPropertyAssertion(:p v:x v:y)", "ObjectPropertyAssertion(:p v:x v:z)"],
    ),
    "at least one": ("SubClassOf(:A ObjectMinCardinality(2 :p))", ["ClassAssertion(:A v:x)"]),
    "an equal value": (
        SOCIAL,
        ['DataPropertyAssertion(:age v:x "1"^^xsd:integer)', 'DataPropertyAssertion(:age v:x "1.0"^^xsd:decimal)'],
    ),
    "a value of a type below": ("DataPropertyRange(:p xsd:decimal)", ['DataPropertyAssertion(:p v:x "3"^^xsd:byte)']),
    "other variables": (
        "AsymmetricObjectProperty(:p) IrreflexiveObjectProperty(:p)",
        ["ObjectPropertyAssertion(:p v:x v:y)", "ObjectPropertyAssertion(:p v:y v:z)"],
    ),
    "names that the ontology does not have": (
        SOCIAL,
        ["ClassAssertion(:Unknown v:x)", "ClassAssertion(:User v:x)", "ObjectPropertyAssertion(:unknown v:x v:y)"],
    ),
    "a key of blank nodes": (
        "HasKey(:Person () (:ssn)) DisjointClasses(:A :B)",
        [
            "ClassAssertion(:Person v:x) ClassAssertion(:A v:x)",
            "ClassAssertion(:Person v:y) ClassAssertion(:B v:y)",
            'DataPropertyAssertion(:ssn v:x "1")',
        ],
    ),
}


@pytest.mark.parametrize("name", PEACE)
def test_no_clash(name: str, engines: Engines) -> None:
    ontology, patterns = PEACE[name]
    found = ClashFinder(schema(*axioms(ontology)), engines).find(statements(*patterns))
    assert found == Decision(None, decided=True)


KEY = "HasKey(:Person () (:ssn)) DisjointClasses(:Old :Young)"
PAIR = [
    "ClassAssertion(:Person v:x) ClassAssertion(:Old v:x)",
    "ClassAssertion(:Person v:y) ClassAssertion(:Young v:y)",
    "ClassAssertion(DataSomeValuesFrom(:ssn rdfs:Literal) v:x)",
    "ClassAssertion(DataSomeValuesFrom(:ssn rdfs:Literal) v:y)",
]


@pytest.mark.parametrize(
    ("values", "named", "expected"),
    [
        ({2: "n", 3: "n"}, "xy", False),
        ({2: "n", 3: "n"}, "x", True),
        ({2: "n", 3: "n"}, "", True),
        ({2: "n", 3: "m"}, "xy", None),
    ],
)
def test_a_key_is_a_proof_only_about_named_individuals(
    values: dict[int, str], named: str, expected: bool | None, engines: Engines
) -> None:
    finder = ClashFinder(schema(*axioms(KEY)), engines)
    found = finder.find(statements(*PAIR, values=values), map(variable, named))
    assert (None if found.clash is None else found.clash.needs_names) is expected
    if found.clash is not None:
        assert set(found.clash.axioms) == set(axioms(KEY))
        assert found.clash.origins == (0, 1, 2, 3)


@pytest.mark.parametrize(("second", "expected"), [("n", True), ("m", False)])
def test_one_value_of_two_disjoint_data_properties(second: str, expected: bool, engines: Engines) -> None:
    finder = ClashFinder(schema(*axioms("DisjointDataProperties(:p :q) SubDataPropertyOf(:r :q)")), engines)
    texts = [f"ClassAssertion(DataSomeValuesFrom(:{prop} rdfs:Literal) v:x)" for prop in "pr"]
    assert (finder.find(statements(*texts, values={0: "n", 1: second})).clash is not None) is expected


THREE = [
    "ClassAssertion(:User v:a)",
    "ClassAssertion(:Event v:a)",
    "ObjectPropertyAssertion(:likes v:b v:c)",
    "ClassAssertion(:Talk v:b)",
    'DataPropertyAssertion(:age v:d "old")',
    "ClassAssertion(:User v:d)",
]


def test_independent_mistakes_are_separate_clashes(engines: Engines) -> None:
    found = ClashFinder(schema(*axioms(SOCIAL)), engines).find_all(statements(*THREE))
    assert sorted(clash.origins for clash in found.clashes) == [(0, 1), (2, 3), (4,)]
    assert found.decided


def test_the_consequences_of_one_mistake_are_one_clash(engines: Engines) -> None:
    swapped = ["ObjectPropertyAssertion(:likes v:e v:u)", "ClassAssertion(:Event v:e)", "ClassAssertion(:User v:u)"]
    found = ClashFinder(schema(*axioms(SOCIAL)), engines).find_all(statements(*swapped))
    assert len(found.clashes) == 1
    assert 0 in found.clashes[0].origins


def test_answers_are_kept(engines: Engines) -> None:
    finder = ClashFinder(schema(*axioms(SOCIAL)), engines)
    first = finder.find_all(statements(*THREE))
    before = engines.checks
    assert finder.find_all(statements(*THREE)) == first
    assert engines.checks == before
    assert finder.find_all(statements(*THREE, "ClassAssertion(:User v:new)")) == first
    assert engines.checks == before
    assert len(finder.find_all(statements(*THREE, "ClassAssertion(owl:Nothing v:new)")).clashes) == 4
    assert engines.checks > before


def test_lists_of_individuals_connect_unconnected_patterns(engines: Engines) -> None:
    one_thing = "EquivalentClasses(:One ObjectOneOf(:a)) DisjointClasses(:A :B)"
    patterns = [f"ClassAssertion(:One v:{x}) ClassAssertion(:{kind} v:{x})" for x, kind in (("x", "A"), ("y", "B"))]
    found = ClashFinder(schema(*axioms(one_thing)), engines).find(statements(*patterns))
    assert found.clash is not None
    assert found.clash.origins == (0, 1)


PROV = "http://www.w3.org/ns/prov#"


@needs_shared_data
def test_a_real_vocabulary(engines: Engines) -> None:
    finder = ClashFinder(load_schema([shared("../vocabularies/prov-o.ttl")]), engines)
    x, y = variable("x"), variable("y")

    def kind(individual: NamedNode, local: str, origin: int) -> Statement:
        return Statement(Expression("ClassAssertion", NamedNode(PROV + local), individual), origin)

    generated = Statement(Expression("ObjectPropertyAssertion", NamedNode(f"{PROV}wasGeneratedBy"), x, y), 0)
    assert finder.find([generated, kind(x, "Entity", 1), kind(y, "Activity", 2)]) == Decision(None, decided=True)
    found = finder.find([generated, kind(x, "Activity", 1), kind(y, "Activity", 2)]).clash
    assert found is not None
    assert found.origins == (0, 1)
    assert {axiom.head for axiom in found.axioms} == {"ObjectPropertyDomain", "DisjointClasses"}
