"""Each rule on its own: its conclusions, and that it needs all of its premises."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.turtle import graph_of, triples_of

from kgprobe.entailment.closure import closed
from kgprobe.entailment.explanation import derivation
from kgprobe.entailment.rules import RDFS_RULES, RL_RULES, Regime
from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, BlankNode, Literal

_R = ":R owl:onProperty :p ."

# rule: the premises, and the conclusions of this rule
_RL = {
    "eq-sym": (":a owl:sameAs :b .", ":b owl:sameAs :a ."),
    "eq-trans": (":a owl:sameAs :b . :b owl:sameAs :c .", ":a owl:sameAs :c ."),
    "eq-rep-s": (":a owl:sameAs :b . :a :p :c .", ":b :p :c ."),
    "eq-rep-p": (":p owl:sameAs :q . :a :p :c .", ":a :q :c ."),
    "eq-rep-o": (":c owl:sameAs :b . :a :p :c .", ":a :p :b ."),
    "prp-dom": (":p rdfs:domain :C . :x :p :y .", ":x a :C ."),
    "prp-rng": (":p rdfs:range :C . :x :p :y .", ":y a :C ."),
    "prp-fp": (":p a owl:FunctionalProperty . :x :p :y . :x :p :z .", ":y owl:sameAs :z ."),
    "prp-ifp": (":p a owl:InverseFunctionalProperty . :x :p :z . :y :p :z .", ":x owl:sameAs :y ."),
    "prp-symp": (":p a owl:SymmetricProperty . :x :p :y .", ":y :p :x ."),
    "prp-trp": (":p a owl:TransitiveProperty . :x :p :y . :y :p :z .", ":x :p :z ."),
    "prp-spo1": (":p rdfs:subPropertyOf :q . :x :p :y .", ":x :q :y ."),
    "prp-spo2": (":p owl:propertyChainAxiom (:q :r :q) . :a :q :b . :b :r :c . :c :q :d .", ":a :p :d ."),
    "prp-eqp1": (":p owl:equivalentProperty :q . :x :p :y .", ":x :q :y ."),
    "prp-eqp2": (":p owl:equivalentProperty :q . :x :q :y .", ":x :p :y ."),
    "prp-inv1": (":p owl:inverseOf :q . :x :p :y .", ":y :q :x ."),
    "prp-inv2": (":p owl:inverseOf :q . :x :q :y .", ":y :p :x ."),
    "prp-key": (
        ":C owl:hasKey (:p :q) . :x a :C ; :p :v ; :q 1 . :y a :C ; :p :v ; :q 1 .",
        ":x owl:sameAs :y .",
    ),
    "cls-thing": ("", "owl:Thing a owl:Class ."),
    "cls-nothing1": ("", "owl:Nothing a owl:Class ."),
    "cls-int1": (":C owl:intersectionOf (:D :E) . :x a :D . :x a :E .", ":x a :C ."),
    "cls-int2": (":C owl:intersectionOf (:D :E) . :x a :C .", ":x a :E ."),
    "cls-uni": (":C owl:unionOf (:D :E) . :x a :E .", ":x a :C ."),
    "cls-svf1": (_R + ":R owl:someValuesFrom :C . :u :p :v . :v a :C .", ":u a :R ."),
    "cls-svf2": (_R + ":R owl:someValuesFrom owl:Thing . :u :p :v .", ":u a :R ."),
    "cls-avf": (_R + ":R owl:allValuesFrom :C . :u a :R . :u :p :v .", ":v a :C ."),
    "cls-hv1": (_R + ":R owl:hasValue 5 . :u a :R .", ":u :p 5 ."),
    "cls-hv2": (_R + ":R owl:hasValue 5 . :u :p 5 .", ":u a :R ."),
    "cls-maxc2": (
        _R + ":R owl:maxCardinality '01'^^xsd:integer . :u a :R . :u :p :y . :u :p :z .",
        ":y owl:sameAs :z .",
    ),
    "cls-maxqc3": (
        _R
        + """:R owl:maxQualifiedCardinality '1'^^xsd:nonNegativeInteger ; owl:onClass :C . :u a :R .
            :u :p :y . :y a :C . :u :p :z . :z a :C .""",
        ":y owl:sameAs :z .",
    ),
    "cls-maxqc4": (
        _R
        + """:R owl:maxQualifiedCardinality '1'^^xsd:nonNegativeInteger ; owl:onClass owl:Thing . :u a :R .
            :u :p :y . :u :p :z .""",
        ":y owl:sameAs :z .",
    ),
    "cls-oo": (":C owl:oneOf (:x :y) .", ":y a :C ."),
    "cax-sco": (":C rdfs:subClassOf :D . :x a :C .", ":x a :D ."),
    "cax-eqc1": (":C owl:equivalentClass :D . :x a :C .", ":x a :D ."),
    "cax-eqc2": (":C owl:equivalentClass :D . :x a :D .", ":x a :C ."),
    "scm-cls": (
        ":C a owl:Class .",
        ":C rdfs:subClassOf :C, owl:Thing ; owl:equivalentClass :C . owl:Nothing rdfs:subClassOf :C .",
    ),
    "scm-sco": (":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .", ":C rdfs:subClassOf :E ."),
    "scm-eqc1": (":C owl:equivalentClass :D .", ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C ."),
    "scm-eqc2": (
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C .",
        ":C owl:equivalentClass :D . :D owl:equivalentClass :C .",
    ),
    "scm-op": (":p a owl:ObjectProperty .", ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p ."),
    "scm-dp": (":p a owl:DatatypeProperty .", ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p ."),
    "scm-spo": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r ."),
    "scm-eqp1": (":p owl:equivalentProperty :q .", ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p ."),
    "scm-eqp2": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .", ":p owl:equivalentProperty :q ."),
    "scm-dom1": (":p rdfs:domain :C . :C rdfs:subClassOf :D .", ":p rdfs:domain :D ."),
    "scm-dom2": (":q rdfs:domain :C . :p rdfs:subPropertyOf :q .", ":p rdfs:domain :C ."),
    "scm-rng1": (":p rdfs:range :C . :C rdfs:subClassOf :D .", ":p rdfs:range :D ."),
    "scm-rng2": (":q rdfs:range :C . :p rdfs:subPropertyOf :q .", ":p rdfs:range :C ."),
    "scm-hv": (
        _R + ":R owl:hasValue :i . :S owl:hasValue :i ; owl:onProperty :q . :p rdfs:subPropertyOf :q .",
        ":R rdfs:subClassOf :S .",
    ),
    "scm-svf1": (
        _R + ":R owl:someValuesFrom :C . :S owl:someValuesFrom :D ; owl:onProperty :p . :C rdfs:subClassOf :D .",
        ":R rdfs:subClassOf :S .",
    ),
    "scm-svf2": (
        _R + ":R owl:someValuesFrom :C . :S owl:someValuesFrom :C ; owl:onProperty :q . :p rdfs:subPropertyOf :q .",
        ":R rdfs:subClassOf :S .",
    ),
    "scm-avf1": (
        _R + ":R owl:allValuesFrom :C . :S owl:allValuesFrom :D ; owl:onProperty :p . :C rdfs:subClassOf :D .",
        ":R rdfs:subClassOf :S .",
    ),
    "scm-avf2": (
        _R + ":R owl:allValuesFrom :C . :S owl:allValuesFrom :C ; owl:onProperty :q . :p rdfs:subPropertyOf :q .",
        ":S rdfs:subClassOf :R .",
    ),
    "scm-int": (":C owl:intersectionOf (:D :E) .", ":C rdfs:subClassOf :D, :E ."),
    "scm-uni": (":C owl:unionOf (:D :E) .", ":D rdfs:subClassOf :C . :E rdfs:subClassOf :C ."),
}
_RDFS = {
    "rdfs2": (":p rdfs:domain :C . :x :p :y .", ":x a :C ."),
    "rdfs3": (":p rdfs:range :C . :x :p :y .", ":y a :C ."),
    "rdfs5": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r ."),
    "rdfs7": (":p rdfs:subPropertyOf :q . :x :p :y .", ":x :q :y ."),
    "rdfs9": (":C rdfs:subClassOf :D . :x a :C .", ":x a :D ."),
    "rdfs11": (":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .", ":C rdfs:subClassOf :E ."),
}
_CASES = [(Regime.RL, *case) for case in _RL.items()] + [(Regime.RDFS, *case) for case in _RDFS.items()]


@pytest.mark.parametrize(("regime", "rule", "case"), _CASES, ids=[rule for _, rule, _ in _CASES])
def test_a_rule_needs_all_of_its_premises(regime: Regime, rule: str, case: tuple[str, str]) -> None:
    premises, conclusions = graph_of(case[0]), triples_of(case[1])
    closure = closed(premises, regime).graph
    for conclusion in conclusions:
        assert conclusion in closure
        assert conclusion not in premises
        assert derivation(premises, conclusion, regime)[-1].rule == rule
        for premise in premises:
            fewer = Graph(triple for triple in premises if triple != premise)
            assert conclusion not in closed(fewer, regime).graph


def test_every_rule_has_a_case() -> None:
    in_code = {"eq-sym", "eq-trans", "prp-trp", "scm-sco", "scm-spo", "cls-int1", "prp-spo2", "prp-key"}
    assert {rule.name for rule in RL_RULES} | in_code == _RL.keys()
    assert {rule.name for rule in RDFS_RULES} | {"rdfs5", "rdfs11"} == _RDFS.keys()


@pytest.mark.parametrize("regime", [Regime.RDFS, Regime.RL])
def test_literals_are_never_subjects(regime: Regime) -> None:
    graph = graph_of(":p rdfs:range :C ; a owl:SymmetricProperty, owl:FunctionalProperty . :x :p 'a', 'b' .")
    closure = closed(graph, regime).graph
    assert not any(isinstance(triple.subject, Literal) for triple in closure)
    assert not any(triple.predicate == OWL.sameAs for triple in closure)


def test_no_term_is_concluded_to_be_the_same_as_itself() -> None:
    graph = graph_of(":p a owl:FunctionalProperty . :x :p :y . :a owl:sameAs :b . :c owl:sameAs :c .")
    found = [triple for triple in closed(graph, Regime.RL).graph.triples(None, OWL.sameAs) if triple not in graph]
    assert found == triples_of(":b owl:sameAs :a .")


def test_an_anonymous_inverse_is_followed_but_is_never_a_predicate() -> None:
    graph = graph_of(":p rdfs:subPropertyOf [owl:inverseOf :q] . :x :p :y .")
    closure = closed(graph, Regime.RL).graph
    [expected] = triples_of(":y :q :x .")
    assert expected in closure
    assert not any(isinstance(triple.predicate, BlankNode) for triple in closure)
    assert [step.rule for step in derivation(graph, expected, Regime.RL)] == ["prp-inv1"]


def test_broken_lists_entail_nothing() -> None:
    for broken in ("[rdf:first :D]", "[rdf:rest (:D)]", "_:b . _:b rdf:first :D ; rdf:rest _:b", "()"):
        graph = graph_of(f":C owl:unionOf {broken} . :x a :D .")
        assert triples_of(":x a :C .")[0] not in closed(graph, Regime.RL).graph


def test_items_of_a_list_can_have_several_names() -> None:
    graph = graph_of(":C owl:oneOf (:a) . :a owl:sameAs :b . :D owl:intersectionOf (:E) . :E owl:sameAs :F . :x a :F .")
    closure = closed(graph, Regime.RL).graph
    for expected in triples_of(":b a :C . :x a :D . :D rdfs:subClassOf :F ."):
        assert expected in closure


def test_a_list_that_branches_too_often_is_refused() -> None:
    cells = " ".join(
        f":c{n} rdf:first :D ; rdf:rest :c{n + 1}, :d{n + 1} . :d{n} rdf:first :D ; rdf:rest :c{n + 1}, :d{n + 1} ."
        for n in range(20)
    )
    with pytest.raises(InputError, match="branches"):
        closed(graph_of(f":C owl:unionOf :c0 . {cells} :c20 rdf:first :D ; rdf:rest () ."), Regime.RL)


def test_a_closure_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    names = " . ".join(f":n{n} owl:sameAs :n{n + 1}" for n in range(60))
    monkeypatch.setattr("kgprobe.entailment.saturation.MOST_FACTS", 1000)
    with pytest.raises(InputError, match=r"OWL 2 RL is too large.*1,000.*rdfs"):
        closed(graph_of(names + " ."), Regime.RL)


@pytest.mark.parametrize(
    ("graph", "conclusions"),
    [
        (":p rdfs:domain :C . :a :p 1 . :b :p 1 . :c :p 1 .", 3),
        (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :D .", 3),
    ],
    ids=["one by one", "in chains"],
)
def test_as_many_conclusions_are_drawn_as_the_limit_allows(
    graph: str, conclusions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgprobe.entailment.saturation.MOST_FACTS", conclusions)
    stated = graph_of(graph)
    assert len(closed(stated, Regime.RDFS).graph) == len(stated) + conclusions
    monkeypatch.setattr("kgprobe.entailment.saturation.MOST_FACTS", conclusions - 1)
    with pytest.raises(InputError, match=f"it has more than {conclusions - 1} triples"):
        closed(stated, Regime.RDFS)


_WITH_A_RULE = """
from kgprobe.entailment import rules
rules.RDFS_RULES += rules._rules("toy ?x owl:disjointWith ?y . ?z rdfs:subClassOf ?x => ?z owl:disjointWith ?y")
from kgprobe.entailment.closure import closed
from kgprobe.entailment.explanation import derivation
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Triple
a, b, c = map(NamedNode, ("urn:a", "urn:b", "urn:c"))
conclusion = Triple(c, OWL.disjointWith, b)
graph = Graph([Triple(a, OWL.disjointWith, b), Triple(c, RDFS.subClassOf, a)])
assert conclusion in closed(graph, rules.Regime.RDFS).graph
(step,) = derivation(graph, conclusion, rules.Regime.RDFS)
print(step.rule)
"""


def test_a_line_is_all_that_a_new_rule_needs() -> None:
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _WITH_A_RULE], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("toy\n", "")


def test_too_many_derivations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = " . ".join(f":x :p :n{n}" for n in range(60))
    monkeypatch.setattr("kgprobe.entailment.saturation.MOST_MATCHES", 1000)
    with pytest.raises(InputError, match="too large"):
        closed(graph_of(f":p a owl:FunctionalProperty . {facts} ."), Regime.RL)


def test_hundreds_of_names_for_one_individual_are_fast() -> None:
    names = " . ".join(f":n{n} owl:sameAs :n{n + 1}" for n in range(300))
    closure = closed(graph_of(names + " ."), Regime.RL).graph
    assert closure.count(None, closure.key(OWL.sameAs)) == 301 * 300
    assert closure.count(None, closure.key(RDF.type)) == 2
