"""Each task on each reasoner, from a graph, and the details of the answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgprobe.errors import InputError
from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import (
    Classification,
    Consistency,
    Entails,
    Hierarchy,
    InstanceOf,
    Reasoner,
    Unsatisfiable,
)

from .reasoner_fixtures import JAVA, NATIVE, needs, ontology


def name(local: str) -> NamedNode:
    return NamedNode(f"urn:test:{local}")


ANIMALS = ontology(
    """
    SubClassOf(:Dog :Mammal) SubClassOf(:Mammal :Animal) EquivalentClasses(:Hound :Dog)
    EquivalentClasses(:Owner ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:owns :Animal)))
    SubClassOf(:DogOwner ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:owns :Dog)))
    DisjointClasses(:Animal :Person) SubClassOf(:Werewolf :Dog) SubClassOf(:Werewolf :Person)
    ClassAssertion(:DogOwner :anna) ClassAssertion(:Dog :rex)
    """
)


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=needs(each if each != "auto" else "rustdl")) for each in [*NATIVE, *JAVA, "auto"]],
)
def reasoner(request: pytest.FixtureRequest) -> Iterator[Reasoner]:
    opened = open_reasoner(request.param, Limits(30, 512))
    yield opened
    opened.close()


def test_consistency_instances_and_axioms(reasoner: Reasoner) -> None:
    answers = reasoner.answer(
        ANIMALS,
        [
            Consistency(),
            InstanceOf(name("anna"), name("Owner")),
            InstanceOf(name("rex"), name("Owner")),
            Entails(Expression("SubClassOf", name("Hound"), name("Animal"))),
            Entails(Expression("SubClassOf", name("Animal"), name("Hound"))),
        ],
    )
    assert [answer.value for answer in answers] == [True, True, False, True, False]
    assert all(reasoner.name in answer.reasoner for answer in answers)
    # JFact has a known bug with the definition of the second class.
    assert all(answer.complete for answer in answers) is (reasoner.name != "jfact")
    assert all(0 < answer.seconds < 30 for answer in answers)


def test_hierarchy_and_unsatisfiable_classes(reasoner: Reasoner) -> None:
    unsatisfiable, hierarchy = reasoner.answer(ANIMALS, [Unsatisfiable(), Classification()])
    if reasoner.name == "pyhermit":
        assert hierarchy.value is None
        assert hierarchy.why == "pyHermiT's classification does not terminate"
        return
    assert unsatisfiable.value == frozenset({name("Werewolf")})
    assert isinstance(hierarchy.value, Hierarchy)
    assert hierarchy.value.groups[name("Dog")] == {name("Dog"), name("Hound")}
    assert hierarchy.value.parents[name("DogOwner")] == {name("Owner")}
    assert hierarchy.value.parents[name("Dog")] == {name("Mammal")}
    assert hierarchy.value.unsatisfiable == {name("Werewolf")}
    assert hierarchy.value.is_below(name("Hound"), name("Animal"))
    assert not hierarchy.value.is_below(name("Owner"), name("DogOwner"))
    assert hierarchy.value.is_below(name("Werewolf"), name("Owner"))


def test_everything_follows_from_an_inconsistency(reasoner: Reasoner) -> None:
    clash = ontology("DisjointClasses(:A :B) ClassAssertion(:A :a) ClassAssertion(:B :a) SubClassOf(:C :D)")
    consistent, entailed = reasoner.answer(
        clash, [Consistency(), Entails(Expression("SubClassOf", name("D"), name("C")))]
    )
    assert (consistent.value, entailed.value) == (False, True)
    if reasoner.name != "pyhermit":
        (hierarchy,) = reasoner.answer(clash, [Classification()])
        assert isinstance(hierarchy.value, Hierarchy)
        assert hierarchy.value.unsatisfiable == {name(each) for each in "ABCD"}


def test_triples_that_are_not_axioms_are_reported(reasoner: Reasoner) -> None:
    graph = Graph(
        [
            Triple(name("A"), RDF.type, OWL.Class),
            Triple(name("a"), RDF.type, name("A")),
            Triple(name("A"), RDFS.subClassOf, BlankNode("nothing")),
        ]
    )
    (answer,) = reasoner.answer(graph, [Consistency()])
    assert answer.value is True
    assert not answer.complete
    assert answer.why == "1 triple is not an OWL 2 axiom and was left out"


@needs("konclude")
@needs("hermit")
def test_konclude_finds_the_hierarchy_that_hermit_finds() -> None:
    everything = ontology(
        "EquivalentClasses(:All owl:Thing) SubClassOf(:A :B) EquivalentClasses(:B :C) SubClassOf(:D :A)"
    )
    clash = ontology("SubClassOf(owl:Thing owl:Nothing) SubClassOf(:A :B)")
    opened = [open_reasoner(each, Limits(30, 512)) for each in ("konclude", "hermit")]
    try:
        for graph in (ANIMALS, everything, clash):
            ours, theirs = (each.answer(graph, [Classification()])[0].value for each in opened)
            assert isinstance(ours, Hierarchy)
            assert ours == theirs
    finally:
        for each in opened:
            each.close()


@needs("rustdl")
@needs("pyhermit")
def test_auto_finds_unsatisfiable_classes_that_rustdl_misses() -> None:
    axioms = ontology(
        'SubClassOf(:A DataHasValue(:d "x")) DataPropertyRange(:d DatatypeRestriction(xsd:string xsd:maxLength'
        ' "0"^^xsd:integer)) SubClassOf(:B :C)'
    )
    auto = open_reasoner("auto")
    try:
        (answer,) = auto.answer(axioms, [Unsatisfiable()])
    finally:
        auto.close()
    assert answer.value == frozenset({name("A")})
    assert answer.complete
    assert answer.reasoner == "auto:rustdl+pyhermit"


@needs("rustdl")
@pytest.mark.parametrize(
    ("axioms", "reason"),
    [
        ('DataPropertyAssertion(:d :a "x"^^xsd:integer)', "an ill-typed literal"),
        ('DataPropertyAssertion(:d :a "300"^^xsd:byte)', "an ill-typed literal"),
        ('DataPropertyAssertion(:d :a "1e5"^^xsd:decimal)', "an ill-typed literal"),
        ('DataPropertyAssertion(:d :a "x"^^:own)', "a datatype that is neither defined nor one of the common ones"),
        # it has infinite models only
        (
            "SubClassOf(:A ObjectSomeValuesFrom(:p :A)) InverseFunctionalObjectProperty(:p) ClassAssertion(:A :a)"
            " ObjectPropertyRange(:p ObjectComplementOf(ObjectOneOf(:a)))",
            "ObjectOneOf with InverseFunctionalObjectProperty with InverseFunctionalObjectProperty",
        ),
        # no model with empty data properties exists
        (
            "SubClassOf(owl:Thing ObjectComplementOf(DataSomeValuesFrom(owl:topDataProperty xsd:string)))",
            "topDataProperty",
        ),
    ],
)
def test_auto_is_undecided_if_neither_reasoner_is_reliable(axioms: str, reason: str) -> None:
    auto = open_reasoner("auto")
    try:
        (answer,) = auto.answer(ontology(axioms), [Consistency()])
    finally:
        auto.close()
    assert answer.value is None
    assert not answer.decided
    assert f"rustdl may miss conclusions from {reason}" in answer.why


WITHOUT_A_FINITE_MODEL = """HasKey(:A () (:d)) DataPropertyAssertion(:d :a "x") InverseFunctionalObjectProperty(:p)
    SubClassOf(:A ObjectSomeValuesFrom(:p :A)) ClassAssertion(:A :a) ClassAssertion(:B :a) DisjointClasses(:A :C)
    ClassAssertion(ObjectAllValuesFrom(ObjectInverseOf(:p) :C) :a)"""


@needs("rustdl")
def test_auto_without_a_second_opinion_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = REASONERS["pyhermit"].available().__class__(None, "it is not installed", "pip install pyHermiT")
    entry = REASONERS["pyhermit"].__class__("pyhermit", "pyHermiT", "native", lambda: missing)
    monkeypatch.setitem(REASONERS, "pyhermit", entry)
    auto = open_reasoner("auto")
    try:
        (answer,) = auto.answer(ontology(WITHOUT_A_FINITE_MODEL), [Consistency()])
    finally:
        auto.close()
    assert answer.value is None
    assert answer.why == "rustdl may miss conclusions from HasKey; for a second opinion: pip install pyHermiT"


def test_an_ontology_is_what_its_graph_states() -> None:
    label = Triple(name("A"), RDFS.label, Literal("not logical"))
    graph = Graph([Triple(name("A"), RDF.type, OWL.Class), Triple(name("A"), RDFS.subClassOf, name("B")), label])
    read = Ontology.of(graph)
    assert read.axioms == (Expression("SubClassOf", name("A"), name("B")),)
    assert read.classes == {name("A"), name("B")}
    assert read.text.splitlines() == [
        "Declaration(Class(<urn:test:A>))",
        "SubClassOf(<urn:test:A> <urn:test:B>)",
    ]
    assert read.missing_declarations == "Declaration(Class(<urn:test:B>))\n"


def test_an_unknown_reasoner_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no reasoner named 'hermitt' \(did you mean 'hermit'\?\)"):
        open_reasoner("hermitt")
