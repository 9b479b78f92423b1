"""Modules and cores decide the same as the whole ontology, and leave out what cannot matter."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from reasoners.reasoner_fixtures import needs
from support.clashes import axioms
from support.random_ontologies import (
    ABOUT_INDIVIDUALS,
    CLASSES,
    COMPOSITE,
    DATA,
    DEFINED,
    INDIVIDUALS,
    MIXES,
    SIMPLE,
    Source,
)
from support.shared_data import needs_shared_data, shared, thinned

from kgprobe.formats.files import load
from kgprobe.owl.expression import Expression
from kgprobe.owl.modules import Modules, core_of
from kgprobe.processes.limits import Limits
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Answer, Consistency

HIERARCHY = (
    "SubClassOf(:Cat :Animal) SubClassOf(:Animal :Thing) DisjointClasses(:Cat :Dog) SubClassOf(:Dog :Animal)"
    " ObjectPropertyDomain(:chases :Cat) ObjectPropertyRange(:chases :Mouse)"
)


@pytest.mark.parametrize(
    ("ontology", "statements", "expected"),
    [
        (HIERARCHY, "ClassAssertion(:Cat v:x)", "SubClassOf(:Cat :Animal) SubClassOf(:Animal :Thing)"),
        (HIERARCHY, "ClassAssertion(:Mouse v:x)", ""),
        (HIERARCHY, "ObjectPropertyAssertion(:chases v:x v:y) ClassAssertion(:Dog v:x)", HIERARCHY),
        # the left side needs both names
        ("SubClassOf(ObjectIntersectionOf(:A :B) :C)", "ClassAssertion(:A v:x)", ""),
        (
            "SubClassOf(ObjectIntersectionOf(:A :B) :C)",
            "ClassAssertion(:A v:x) ClassAssertion(:B v:x)",
            "SubClassOf(ObjectIntersectionOf(:A :B) :C)",
        ),
        # about everything
        ("SubClassOf(owl:Thing :A) SubClassOf(:B :C)", "ClassAssertion(:D v:x)", "SubClassOf(owl:Thing :A)"),
        ("ReflexiveObjectProperty(:p)", "ClassAssertion(:D v:x)", "ReflexiveObjectProperty(:p)"),
        # individuals matter if they are mentioned, or connected with one that is
        ("ClassAssertion(:A :a) ClassAssertion(:A :b)", "ClassAssertion(:A v:x)", ""),
        (
            "ClassAssertion(:A :a) ObjectPropertyAssertion(:p :a :b) ClassAssertion(:B :b) ClassAssertion(:B :c)",
            "ClassAssertion(:D :a)",
            "ClassAssertion(:A :a) ObjectPropertyAssertion(:p :a :b) ClassAssertion(:B :b)",
        ),
        # a list of individuals connects them all
        (
            "SubClassOf(:A ObjectOneOf(:a :b)) ClassAssertion(:B :c)",
            "ClassAssertion(:A v:x)",
            "SubClassOf(:A ObjectOneOf(:a :b)) ClassAssertion(:B :c)",
        ),
        ("SubClassOf(:A ObjectOneOf(:a :b)) ClassAssertion(:B :c)", "ClassAssertion(:B v:x)", ""),
        (
            'HasKey(:A () (:k)) DataPropertyAssertion(:k :a "1")',
            'ClassAssertion(:A v:x) DataPropertyAssertion(:k v:x "1")',
            'HasKey(:A () (:k)) DataPropertyAssertion(:k :a "1")',
        ),
    ],
)
def test_the_axioms_of_a_module(ontology: str, statements: str, expected: str) -> None:
    assert set(Modules(axioms(ontology)).of(axioms(statements)).axioms) == set(axioms(expected))


def test_only_the_individuals_that_matter_are_told_apart() -> None:
    everyone = " ".join(f":i{n}" for n in range(100))
    facts = " ".join(f"ClassAssertion(:A :i{n})" for n in range(100))
    modules = Modules(axioms(f"DifferentIndividuals({everyone}) {facts}"))
    module = modules.of(axioms("ObjectPropertyAssertion(:p :i3 :i7)"))
    assert set(module.stated()) == set(
        axioms("DifferentIndividuals(:i3 :i7) ClassAssertion(:A :i3) ClassAssertion(:A :i7)")
    )
    assert len(module.axioms) == 3


def test_the_core_has_what_can_contradict() -> None:
    harmless = "SubClassOf(:A :B) SubClassOf(:B ObjectSomeValuesFrom(:p :C)) ClassAssertion(:A v:x)"
    assert core_of(axioms(harmless)) == []
    clash = "DisjointClasses(:B :D) SubClassOf(:E :D) ClassAssertion(:E v:x)"
    assert set(core_of(axioms(f"{harmless} {clash}"))) == set(
        axioms(f"SubClassOf(:A :B) ClassAssertion(:A v:x) {clash}")
    )


def test_the_cost_of_a_module_does_not_depend_on_the_ontology(monkeypatch: pytest.MonkeyPatch) -> None:
    many = " ".join(f"SubClassOf(:C{n} :Top) DisjointClasses(:C{n} :D{n})" for n in range(2000))
    modules = Modules(axioms(f"{many} SubClassOf(:Top :A) DisjointClasses(:A :B)"))
    examined: list[Expression] = []
    from kgprobe.owl import locality

    original = locality.EmptyOutside.matters

    def counted(self: locality.EmptyOutside, axiom: Expression) -> object:
        examined.append(axiom)
        return original(self, axiom)

    monkeypatch.setattr(locality.EmptyOutside, "matters", counted)
    module = modules.of(axioms("ClassAssertion(:C7 v:x) ClassAssertion(:B v:x)"))
    assert len(module.axioms) == 3
    assert len(examined) < 12


# -- against the whole ------------------------------------------------------------------------------------------------

NAMES = (*CLASSES, *SIMPLE, *COMPOSITE, *INDIVIDUALS, *DATA, DEFINED)
FRESH = [NamedNode(f"urn:kgprobe:variable:{letter}") for letter in "xyz"]


def _answers(ontologies: list[tuple[Expression, ...]]) -> list[Answer]:
    with opened("hermit", Limits(20, 1024)) as hermit:
        given = hermit.answer_many([(Ontology(tuple(dict.fromkeys(each))), [Consistency()]) for each in ontologies])
    return [answer for (answer,) in given]


def _renamed(tree: Expression, names: dict[Term, NamedNode]) -> Expression:
    parts = (
        _renamed(part, names) if type(part) is Expression else names.get(part, part)  # type: ignore[arg-type]
        for part in tree.args
    )
    return Expression(tree.head, *parts)


@cache
def random_ontologies(number: int) -> list[tuple[tuple[Expression, ...], Answer]]:
    mixes = [None, None, *MIXES.values()]
    drawn = [Source(Random(seed), mixes[seed % len(mixes)]).ontology().axioms for seed in range(number)]
    return list(zip(drawn, _answers(drawn), strict=True))


def _statements(source: Source, random: Random, part: int) -> tuple[Expression, ...]:
    """Assertions about fresh individuals, and a few about those of one part of the ontology."""
    names: dict[Term, NamedNode] = {name: _own(name, part) for name in NAMES}
    for name, fresh in zip(INDIVIDUALS, FRESH, strict=True):
        names[name] = fresh if random.random() < 0.7 else random.choice([name, _own(name, part)])
    drawn = (source.one_of(ABOUT_INDIVIDUALS)(source) for _ in range(random.randint(1, 5)))
    return tuple(_renamed(axiom, names) for axiom in drawn)


def _own(name: NamedNode, part: int) -> NamedNode:
    return NamedNode(f"{name.value}{part}")


def random_case(random: Random, consistent: list[tuple[Expression, ...]]) -> tuple[tuple[Expression, ...], ...]:
    """An ontology of three parts that share few names, and statements about names of one of them."""
    stated: dict[Expression, None] = {}
    for part in range(3):
        names: dict[Term, NamedNode] = {name: _own(name, part) for name in NAMES if random.random() < 0.85}
        stated |= dict.fromkeys(_renamed(axiom, names) for axiom in random.choice(consistent))
    return tuple(stated), _statements(Source(random), random, random.randrange(3))


NUMBERS = pytest.mark.parametrize("number", [60, pytest.param(1500, marks=pytest.mark.thorough)])


@needs("hermit")
@NUMBERS
def test_a_core_is_consistent_exactly_if_the_whole_is(number: int) -> None:
    drawn = random_ontologies(number)
    found = _answers([tuple(core_of(stated)) for stated, _ in drawn])
    both = [
        (stated, answer.value, theirs.value)
        for (stated, answer), theirs in zip(drawn, found, strict=True)
        if answer.decided and theirs.decided
    ]
    assert [stated for stated, whole, part in both if whole != part] == []
    assert len(both) > number * 0.8
    assert {whole for _, whole, _ in both} == {True, False}


@needs("hermit")
@NUMBERS
def test_statements_contradict_a_module_exactly_if_they_contradict_the_whole(number: int) -> None:
    consistent = [stated for stated, answer in random_ontologies(number) if answer.decided and answer.value is True]
    cases = [random_case(Random(seed), consistent) for seed in range(number)]
    modules = [Modules(ontology).of(stated) for ontology, stated in cases]
    alone = _answers([ontology for ontology, _ in cases])
    whole = _answers([ontology + stated for ontology, stated in cases])
    part = _answers([(*module.stated(), *stated) for module, (_, stated) in zip(modules, cases, strict=True)])
    compared = [
        (case, ours.value, theirs.value)
        for case, given, theirs, ours in zip(cases, alone, whole, part, strict=True)
        if given.value is True and given.decided and theirs.decided and ours.decided
    ]
    assert [case for case, ours, theirs in compared if ours != theirs] == []
    assert len(compared) > number * 0.3
    assert {theirs for _, _, theirs in compared} == {True, False}
    assert sum(len(module.axioms) for module in modules) < 0.5 * sum(len(ontology) for ontology, _ in cases)


ORE = sorted(path.name for path in shared("ore").glob("*.owl")) if shared("ore").is_dir() else []


@needs_shared_data
@needs("rustdl")
@pytest.mark.parametrize("name", thinned([f"ore/{name}" for name in ORE]))
def test_modules_of_real_ontologies(name: str) -> None:
    ontology = Ontology.of(load(shared(name)).graph)
    modules = Modules(ontology.axioms)
    random = Random(name)
    used = sorted(entities(ontology.axioms), key=str)
    by_kind = {kind: [each for known, each in used if known == kind] for kind in ("Class", "ObjectProperty")}
    requests = []
    for _ in range(6):
        kinds = [Expression("ClassAssertion", random.choice(by_kind["Class"]), random.choice(FRESH)) for _ in range(6)]
        links = [
            Expression("ObjectPropertyAssertion", random.choice(by_kind["ObjectProperty"]), *random.sample(FRESH, 2))
            for _ in range(3 if by_kind["ObjectProperty"] else 0)
        ]
        stated = (*kinds, *links)
        module = modules.of(stated)
        part = tuple(core_of((*module.stated(), *stated)))
        requests += [(Ontology((*ontology.axioms, *stated)), [Consistency()]), (Ontology(part), [Consistency()])]
    with opened("rustdl", Limits(60, 2048)) as rustdl:
        values = [answer.value for (answer,) in rustdl.answer_many(requests)]
    assert values[::2] == values[1::2]
