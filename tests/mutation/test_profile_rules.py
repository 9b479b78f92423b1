"""The profile rules for object properties that operators query, and whether they are correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from kgprobe.mutation import profile_rules
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, profiles
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Triple, with_blanks

from .example_runner import EX, graph_of

_NAMES = "pqrs"
_DECLARED = " ".join(f":{name} a owl:ObjectProperty ." for name in _NAMES) + " :A a owl:Class . :B a owl:Class . "


def _ask(graph: Graph, function: str, names: str) -> bool:
    return TESTS[NAMESPACE + function](graph, tuple(graph.key(NamedNode(EX + name)) for name in names.split()))


@pytest.mark.parametrize(
    ("said", "function", "names", "answer"),
    [
        ("", "isSimple", "p", True),
        (":p a owl:TransitiveProperty .", "isSimple", "p", False),
        (":p owl:propertyChainAxiom ( :q :r ) .", "isSimple", "p", False),
        (
            ":q a owl:TransitiveProperty ; rdfs:subPropertyOf :r . :r owl:equivalentProperty :s .",
            "isSimple",
            "s",
            False,
        ),
        (":q a owl:TransitiveProperty ; owl:inverseOf :p .", "isSimple", "p", False),
        (":p rdfs:subPropertyOf :q . :q a owl:TransitiveProperty .", "isSimple", "p", True),
        ("owl:bottomObjectProperty rdfs:subPropertyOf :p .", "isSimple", "p", False),
        ("", "mayCompose", "p", True),
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasSelf true ] .", "mayCompose", "p", False),
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :q ; owl:hasSelf true ] .", "mayCompose", "p", True),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :q ; owl:maxCardinality 1 ] . "
            ":p rdfs:subPropertyOf :q .",
            "mayCompose",
            "p",
            False,
        ),
        (":p a owl:FunctionalProperty .", "mayCompose", "p", False),
        (":q a owl:IrreflexiveProperty ; owl:equivalentProperty :p .", "mayCompose", "p", False),
        (":q owl:propertyDisjointWith :p .", "mayCompose", "p", False),
        ("[] a owl:AllDisjointProperties ; owl:members ( :q :r :p ) .", "mayCompose", "p", False),
        ("[] a owl:AllDisjointProperties ; owl:members ( :q :r :s ) .", "mayCompose", "p", True),
        ("", "mayImply", "p q", True),
        (":p a owl:TransitiveProperty . :q a owl:AsymmetricProperty .", "mayImply", "p q", False),
        (":p a owl:TransitiveProperty . :q a owl:AsymmetricProperty .", "mayImply", "q p", True),
        (":p owl:propertyChainAxiom ( :r :s ) . :q rdfs:range :A .", "mayImply", "p q", False),
        (":p owl:propertyChainAxiom ( :r :s ) . :q rdfs:range :A .", "mayImply", "q p", True),
        (":p owl:propertyChainAxiom ( :q :r ) .", "mayImply", "p q", False),
        (":p owl:propertyChainAxiom ( :q :r ) .", "mayImply", "p s", True),
        (":p owl:propertyChainAxiom ( :q :r ) . :s rdfs:subPropertyOf :q .", "mayImply", "p s", False),
        ("", "mayHaveRange", "p", True),
        (":p owl:propertyChainAxiom ( :q :r ) .", "mayHaveRange", "p", False),
        (":p owl:propertyChainAxiom ( :q :r ) .", "mayHaveRange", "r", True),
        (":q rdfs:subPropertyOf :p ; owl:propertyChainAxiom ( :r :s ) .", "mayHaveRange", "p", False),
        ("", "mayChain", "p q r", True),
        ("", "mayChain", "p q p", True),
        ("", "mayChain", "p q q", True),
        ("", "mayChain", "p p p", True),
        (":r a owl:AsymmetricProperty .", "mayChain", "p q r", False),
        (":r rdfs:subPropertyOf :q .", "mayChain", "p q r", False),
        (":q owl:propertyChainAxiom ( :r :s ) .", "mayChain", "p q r", False),
        (":r rdfs:range :A .", "mayChain", "p q r", False),
        (":r rdfs:range :A . :q rdfs:range :A , :B .", "mayChain", "p q r", True),
        (":r rdfs:subPropertyOf :s . :s rdfs:range :A .", "mayChain", "p q r", False),
    ],
)
def test_answers(said: str, function: str, names: str, answer: bool) -> None:
    assert _ask(graph_of(_DECLARED + said), function, names) is answer


@pytest.mark.parametrize(
    ("said", "function", "answer"),
    [
        (":x a owl:Class .", "isClass", True),
        (":x a owl:Class , rdfs:Datatype .", "isClass", False),
        (":x a owl:Class , owl:ObjectProperty .", "isClass", True),
        (":x a owl:ObjectProperty .", "isClass", False),
        (":x a owl:ObjectProperty .", "isObjectProperty", True),
        (":x a owl:ObjectProperty , owl:AnnotationProperty .", "isObjectProperty", False),
        (":x a owl:DatatypeProperty .", "isDataProperty", True),
        (":x a owl:DatatypeProperty , owl:ObjectProperty .", "isDataProperty", False),
    ],
)
def test_names(said: str, function: str, answer: bool) -> None:
    assert _ask(graph_of(said), function, "x") is answer


def test_blank_nodes_and_reserved_names_are_excluded() -> None:
    graph = graph_of("owl:Thing a owl:Class . [] a owl:Class .")
    assert not any(TESTS[NAMESPACE + "isClass"](graph, (s,)) for s, _, _ in graph.rows())


# -- what was found out is forgotten as soon as it may not hold any more ----------------------------------------------


def _axioms(random: Random, count: int) -> str:
    kinds = random.choices((*_AXIOMS.values(), *_FURTHER), k=count)
    return " ".join(axiom(*random.choices(_NAMES, k=names)) for names, axiom in kinds)


def _change(graph: Graph, random: Random, step: int) -> None:
    """Add an axiom, or remove any triple that is not a declaration, and so perhaps half of an axiom."""
    if random.random() < 0.5:
        for triple in graph_of(_axioms(random, 1)):
            graph.add(with_blanks(triple, lambda node: BlankNode(f"{node.value}x{step}")))
    elif rest := [triple for triple in graph if triple.object not in (OWL.ObjectProperty, OWL.Class)]:
        graph.remove(random.choice(rest))


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("seed", range(4))
def test_answers_do_not_depend_on_earlier_questions(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_rules, "_FEW", few)
    monkeypatch.setattr(profile_rules, "_MOST_KEPT", 10 * few)
    random = Random(seed)
    graph = graph_of(_DECLARED + _axioms(random, 5))
    answers: Counter[bool] = Counter()
    for step in range(60):
        for part in range(random.randrange(1, 4)):
            _change(graph, random, 10 * step + part)
        anew = Graph(graph)
        for function, (count, _) in _AXIOMS.items():
            test = TESTS[NAMESPACE + function]
            for asked in product([NamedNode(EX + name) for name in _NAMES], repeat=count):
                answer = test(graph, tuple(map(graph.key, asked)))
                assert answer is test(anew, tuple(map(anew.key, asked))), (function, asked, list(map(str, graph)))
                answers[answer] += 1
    assert min(answers.values()) > 300


def test_the_kind_of_a_name_follows_its_types() -> None:
    random = Random(3)
    graph = graph_of(_DECLARED)
    kinds = (OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDFS.Datatype)
    answers: Counter[bool] = Counter()
    for _ in range(300):
        triple = Triple(NamedNode(EX + random.choice("pqAx")), RDF.type, random.choice(kinds))
        assert graph.remove(triple) or graph.add(triple)
        anew = Graph(graph)
        for function, name in product(("isClass", "isObjectProperty", "isDataProperty"), "pqAx"):
            answer = _ask(graph, function, name)
            assert answer is _ask(anew, function, name)
            answers[answer] += 1
    assert min(answers.values()) > 300


# -- an axiom that is allowed keeps the ontology in its profiles, whatever it says already ------------------------

_AXIOMS: dict[str, tuple[int, Callable[..., str]]] = {
    "isSimple": (1, lambda p: f":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :{p} ; owl:hasSelf true ] ."),
    "mayCompose": (1, lambda p: f":{p} a owl:TransitiveProperty ."),
    "mayImply": (2, lambda p, q: f":{p} rdfs:subPropertyOf :{q} ."),
    "mayHaveRange": (1, lambda p: f":{p} rdfs:range :A ."),
    "mayChain": (3, lambda p, q, r: f":{r} owl:propertyChainAxiom ( :{p} :{q} ) ."),
}
_FURTHER: tuple[tuple[int, Callable[..., str]], ...] = (
    (2, lambda p, q: f":{p} owl:equivalentProperty :{q} ."),
    (1, lambda p: f":{p} rdfs:range :B ."),
    (3, lambda p, q, r: f":{r} owl:propertyChainAxiom ( :{p} :{q} :{p} ) ."),
    (2, lambda p, q: f":{p} owl:inverseOf :{q} ."),
    (1, lambda p: f":{p} a owl:SymmetricProperty ."),
    (1, lambda p: f":{p} a owl:FunctionalProperty ."),
    (2, lambda p, q: f":{p} owl:propertyDisjointWith :{q} ."),
    (2, lambda p, q: f"[ owl:inverseOf :{p} ] rdfs:subPropertyOf :{q} ."),
)
# All of the first and three of the others are in OWL 2 EL.
_IN_EL = (*_AXIOMS.values(), *_FURTHER[:3])


@pytest.mark.parametrize("profile", [Profile.EL, Profile.DL])
def test_allowed_axioms_keep_the_profile(profile: Profile) -> None:
    random = Random(5)
    kinds = _IN_EL if profile is Profile.EL else (*_AXIOMS.values(), *_FURTHER)
    answers: Counter[tuple[bool, bool]] = Counter()
    for _ in range(60):
        said = _DECLARED + " ".join(
            axiom(*random.choices(_NAMES, k=count)) for count, axiom in random.choices(kinds, k=random.randrange(1, 5))
        )
        if not _is_in(profile, said):
            continue
        graph = graph_of(said)
        for function, (count, axiom) in _AXIOMS.items():
            for names in random.sample(list(product(_NAMES, repeat=count)), 2):
                answer = _ask(graph, function, " ".join(names))
                answers[answer, _is_in(profile, f"{said} {axiom(*names)}")] += 1
    assert answers[True, False] == 0
    assert answers[True, True] > 100
    assert answers[False, False] > 10
    # The rules may be conservative, but must not forbid everything.
    assert answers[False, True] < answers[True, True] / 5


def _is_in(profile: Profile, said: str) -> bool:
    return profile in profiles(AxiomView(graph_of(said)))
