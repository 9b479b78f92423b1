"""OWL 2 profiles, compared with stored verdicts of OWLAPI 5.1.9."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.turtle import EX, graph_of

from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.datatypes import is_well_formed
from kgprobe.owl.expression import Expression
from kgprobe.owl.profiles import Profile, Violation, profiles, violations
from kgprobe.owl.wording import axiom_in_words, in_words
from kgprobe.rdf.terms import OWL, XSD, Literal, NamedNode

PREAMBLE = """<http://example.org/o> a owl:Ontology .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
:r a owl:ObjectProperty . :d a owl:DatatypeProperty . :e a owl:DatatypeProperty . :n a owl:AnnotationProperty .
:i a owl:NamedIndividual . :j a owl:NamedIndividual . :t a rdfs:Datatype .
"""
_LINES = (Path(__file__).parent / "profile_cases.txt").read_text().splitlines()[1:]
CASES = [(name, verdict, body) for name, verdict, body in (line.split(" | ") for line in _LINES)]


def _found(body: str) -> list[Violation]:
    return list(violations(AxiomView(graph_of(PREAMBLE + body))))


@pytest.mark.parametrize(("verdict", "body"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_verdict_agrees_with_owlapi(verdict: str, body: str) -> None:
    found = profiles(AxiomView(graph_of(PREAMBLE + body)))
    assert " ".join(profile.value for profile in Profile if profile in found) == verdict.replace("-", "")


def test_all_cases_were_read() -> None:
    assert len(CASES) == 327
    assert len({name for name, _, _ in CASES}) == 327


# OWLAPI fails on these, or never sees them; the expected results follow the specification.
@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (':i :d "yes"^^xsd:boolean .', "literal that its datatype does not allow"),
        (
            ":t owl:equivalentClass [a rdfs:Datatype ; owl:unionOf (:t xsd:integer)] .",
            "datatype that is defined by itself",
        ),
        (
            """:t owl:equivalentClass [a rdfs:Datatype ; owl:unionOf (:u xsd:integer)] .
            :u a rdfs:Datatype ; owl:equivalentClass [a rdfs:Datatype ; owl:unionOf (:t xsd:integer)] .""",
            "datatype that is defined by itself",
        ),
        ("xsd:integer a rdfs:Datatype ; owl:equivalentClass xsd:string .", "definition of a reserved datatype"),
        (
            """:d rdfs:range [a rdfs:Datatype ; owl:onDatatype :t ; owl:withRestrictions ([xsd:minInclusive 1])] .
            :t owl:equivalentClass xsd:integer .""",
            "restriction of a datatype that has a definition",
        ),
        ("owl:onto a owl:Ontology .", "reserved name used for an ontology"),
    ],
)
def test_graphs_that_owlapi_cannot_judge(body: str, rule: str) -> None:
    assert rule in {violation.rule for violation in _found(body) if violation.profile is Profile.DL}


def test_a_violation_names_the_axiom_and_its_offending_part() -> None:
    graph = graph_of(
        PREAMBLE
        + """:A rdfs:subClassOf :B, [a owl:Restriction ; owl:onProperty :p ;
            owl:someValuesFrom [a owl:Class ; owl:unionOf (:B :C)]] ."""
    )
    found = [
        (violation.profile, axiom_in_words(violation.axiom, graph), in_words(violation.culprit or OWL.Nothing, graph))
        for violation in violations(AxiomView(graph), among=[Profile.EL, Profile.QL])
    ]
    words = "A SubClassOf p some (B or C)"
    assert found == [(Profile.EL, words, "B or C"), (Profile.QL, words, "p some (B or C)")]


_SHARED = "_:r a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom [a owl:Class ; owl:unionOf (:B :C)] ."


def test_axioms_that_share_blank_nodes_are_judged_one_by_one_and_named_by_their_triples() -> None:
    graph = graph_of(f"{PREAMBLE} :A rdfs:subClassOf _:r . :C rdfs:subClassOf _:r . {_SHARED}")
    (odd,) = [axiom for axiom in AxiomView(graph) if axiom.expression is None]
    found = [violation for violation in violations(AxiomView(graph)) if violation.profile is Profile.EL]
    assert {violation.axiom for violation in found} == {odd}
    assert [in_words(violation.culprit or OWL.Nothing, graph) for violation in found] == ["B or C", "B or C"]


# OWLAPI guesses, drops incomplete axioms, or fails; by the mapping of OWL 2 to RDF, these are in no profile.
@pytest.mark.parametrize(
    "body",
    [
        ":A rdfs:subClassOf [owl:onProperty :p ; owl:someValuesFrom :B] .",
        ":A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ; owl:allValuesFrom :C] .",
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:assertionProperty :p .",
        "[] a owl:AllDisjointClasses .",
        f":i :p _:r . :A rdfs:subClassOf _:r . {_SHARED}",
    ],
)
def test_unreadable_graphs_are_in_no_profile(body: str) -> None:
    found = [violation for violation in _found(body) if violation.rule == "triples that are not an axiom of OWL 2"]
    assert {violation.profile for violation in found} == set(Profile)
    assert {violation.axiom.expression for violation in found} == {None}


def test_deeply_shared_nodes_do_not_cause_exponential_copies() -> None:
    levels = [f"_:c{n} a owl:Class ; owl:intersectionOf (_:c{n + 1} _:c{n + 1}) ." for n in range(40)]
    found = _found(f":A rdfs:subClassOf _:c0 . {' '.join(levels)} _:c40 a owl:Class ; owl:unionOf (:B :C) .")
    assert {violation.rule for violation in found} == {"triples that are not an axiom of OWL 2"}


def test_a_cycle_of_chains_is_reported_at_each_chain() -> None:
    found = _found(":r owl:propertyChainAxiom (:p :q) . :p owl:propertyChainAxiom (:r :q) .")
    assert {violation.culprit for violation in found if violation.profile is Profile.DL} == {EX.p, EX.r}


def test_deep_expressions_do_not_exhaust_the_stack() -> None:
    tree: Expression = Expression("ObjectIntersectionOf", EX.A, EX.B)
    for _ in range(5000):
        tree = Expression("ObjectIntersectionOf", EX.A, tree)
    declared: list[Expression] = [Expression("Declaration", Expression("Class", name)) for name in (EX.A, EX.B)]
    axioms = [Axiom(axiom, ()) for axiom in [*declared, Expression("SubClassOf", tree, EX.B)]]
    assert profiles(axioms) == {Profile.DL, Profile.EL, Profile.RL}


@pytest.mark.parametrize(
    ("text", "datatype", "expected"),
    [
        ("1", XSD.integer, True),
        ("1.0", XSD.integer, False),
        ("٣", XSD.integer, False),
        ("9" * 5000, XSD.integer, True),
        ("9" * 5000, XSD.long, False),
        ("-" + "9" * 5000, XSD.nonPositiveInteger, True),
        ("-0", XSD.nonNegativeInteger, True),
        ("-1", XSD.nonNegativeInteger, False),
        ("128", XSD.byte, False),
        ("-128", XSD.byte, True),
        ("1/2", OWL.rational, True),
        ("1/0", OWL.rational, False),
        ("NaN", XSD.double, True),
        ("1e3", XSD.decimal, False),
        ("2020-02-30T00:00:00Z", XSD.dateTimeStamp, True),
        ("2020-02-30T00:00:00", XSD.dateTimeStamp, False),
        ("a b", XSD.token, True),
        (" a", XSD.token, False),
        ("a:b", XSD.Name, True),
        ("a:b", XSD.NCName, False),
        ("1a", XSD.NMTOKEN, True),
        ("YQ==", XSD.base64Binary, True),
        ("YQ", XSD.base64Binary, False),
    ],
)
def test_literals(text: str, datatype: NamedNode, expected: bool) -> None:
    assert is_well_formed(Literal(text, datatype=datatype)) is expected
