"""The judge agrees with a reasoner that is asked about everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

import pytest
from support.clashes import axioms, schema
from support.random_ontologies import CLASSES, DATA, INDIVIDUALS, LITERALS, SIMPLE, Source

from kgprobe.formats.files import read_graph
from kgprobe.owl.expression import Argument
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import Settings, prepared_test
from kgprobe.rdf.terms import OWL, RDF, XSD, Literal, NamedNode, Term, Triple
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Consistency, Reasoner, Task

from .social_network import MATURE, PREFIXES, case, social_network

NEW = [NamedNode(f"urn:kgprobe:new:{name}") for name in "xyz"]


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    with opened() as found:
        yield found


def agree(one: bool | None, other: bool | None) -> bool:
    return one is None or other is None or one == other


@pytest.mark.parametrize("number", [3, 5, 6])
def test_asking_always_gives_the_same_answers(number: int, reasoner: Reasoner) -> None:
    variable = {3: "user1", 5: "user", 6: "event"}[number]
    request = Request(expect=[f"?{variable}: {MATURE if number != 6 else 'sn:liked_by some sn:User'}"])
    settings = Settings(tests=40)
    test = prepared_test(case(number), social_network(), request, reasoner, settings, prefixes=PREFIXES)
    always = Judge(social_network(), reasoner, always_asks=True)
    kind = test.properties[0].kind  # type: ignore[union-attr]  # an expectation
    compared = decided = 0
    for _, data in zip(range(16), test.data_sets, strict=False):
        consistent = test.judge.is_consistent(data)
        assert consistent == always.is_consistent(data), data
        individuals = {datum.subject for datum in data}
        for individual in sorted(individuals, key=str)[:1] if consistent else ():
            compared += 1
            found, expected = (each.is_member(data, individual, kind) for each in (test.judge, always))  # type: ignore[arg-type]
            assert agree(found, expected), (data, individual)
            decided += found is not None
    assert compared == decided > 5
    assert test.judge.asks == 0


def random_data(random: Random) -> tuple[Triple, ...]:
    nodes = [*NEW, random.choice(INDIVIDUALS)] if random.random() < 0.4 else NEW
    found = []
    for _ in range(random.randint(1, 6)):
        subject = random.choice(nodes)
        kind = random.random()
        if kind < 0.4:
            found.append(Triple(subject, RDF.type, random.choice(CLASSES)))
        elif kind < 0.75:
            found.append(Triple(subject, random.choice(SIMPLE), random.choice(nodes)))
        else:
            found.append(Triple(subject, random.choice(DATA), random.choice(LITERALS)))
    return tuple(dict.fromkeys(found))


def random_schema(seed: int) -> tuple[Schema, list[Argument]]:
    source = Source(Random(seed))
    ontology = source.ontology()
    return schema(*ontology.axioms), [source.kind() for _ in range(2)]


SEEDS = [
    *range(20),
    *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(20, 400)),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_data_on_random_ontologies(seed: int, reasoner: Reasoner) -> None:
    found, kinds = random_schema(seed)
    (alone,) = reasoner.answer(found.ontology, [Consistency()], seconds=2)
    if alone.value is not True or not alone.decided:
        return  # an inconsistent ontology is refused before
    random = Random(seed)
    judge = Judge(found, reasoner, kinds)
    always = Judge(found, reasoner, kinds, always_asks=True)
    for _ in range(3):
        data = random_data(random)
        consistent = judge.is_consistent(data)
        assert agree(consistent, always.is_consistent(data)), data
        if consistent:
            individual: Term = random.choice([datum.subject for datum in data])  # type: ignore[assignment]
            for kind in kinds:
                assert agree(judge.is_member(data, individual, kind), always.is_member(data, individual, kind)), (
                    data,
                    individual,
                    kind,
                )


def test_values_that_nothing_tells_apart_are_judged_once(reasoner: Reasoner) -> None:
    judge = Judge(social_network(), reasoner)
    age = NamedNode("https://example.org/social-network#age")
    for number in range(50, 90):
        assert judge.is_consistent([Triple(NEW[0], age, Literal(str(number), datatype=XSD.integer))]) is True
    assert judge.known_parts == 1
    two = [Triple(NEW[0], age, Literal(text, datatype=XSD.integer)) for text in ("50", "51")]
    assert judge.is_consistent(two) is False
    same = [Triple(NEW[0], age, Literal(text, datatype=XSD.integer)) for text in ("50", "050")]
    assert judge.is_consistent(same) is True
    assert judge.asks == 0


@pytest.mark.parametrize(
    ("stated", "data", "expected"),
    [
        ("SubClassOf(:A ObjectSomeValuesFrom(:p :B)) DisjointClasses(:A :B)", ":A", True),
        ("SubClassOf(:A ObjectSomeValuesFrom(:p :A)) FunctionalObjectProperty(ObjectInverseOf(:p))", ":A", True),
        ("SubClassOf(:A ObjectUnionOf(:B :C)) SubClassOf(:B owl:Nothing)", ":A", True),
        ("SubClassOf(:A ObjectUnionOf(:B :C)) SubClassOf(:B owl:Nothing) SubClassOf(:C owl:Nothing)", ":A", False),
        ("SubClassOf(:A DataSomeValuesFrom(:d xsd:integer)) DataPropertyRange(:d xsd:string)", ":A", False),
        ("SubClassOf(:A ObjectMinCardinality(3 :p)) SubClassOf(:A ObjectMaxCardinality(2 :p))", ":A", False),
        ("SubClassOf(:A ObjectMinCardinality(2 :p)) SubClassOf(:A ObjectMaxCardinality(2 :p))", ":A", True),
    ],
)
def test_one_member_of_a_class(stated: str, data: str, expected: bool, reasoner: Reasoner) -> None:
    found = schema(*axioms(stated))
    judge = Judge(found, reasoner)
    kind = NamedNode(next(each.value for each in found.names if each.value.endswith(data.removeprefix(":"))))
    triples = [Triple(NEW[0], RDF.type, kind)]
    assert judge.is_consistent(triples) is expected
    assert Judge(found, reasoner, always_asks=True).is_consistent(triples) is expected


class _Silent:
    """A reasoner that never has an answer, and counts the questions."""

    name = "silent"
    asked = 0

    def answer(self, _ontology: Ontology, tasks: Sequence[Task], **_options: object) -> list[Answer]:
        self.asked += 1
        return [Answer(None, self.name, 0.0, complete=False) for _ in tasks]


def test_a_reasoner_without_answers_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgprobe.queries.testing.judging.time.monotonic", count(0, 25).__next__)
    silent = _Silent()
    judge = Judge(social_network(), silent, always_asks=True)  # type: ignore[arg-type]
    answers = [judge.is_consistent(()) for _ in range(6)]
    assert answers == [None] * 6
    assert silent.asked == 2  # 25 seconds each


def test_individuals_that_an_axiom_names_join_only_data_that_it_can_matter_for(reasoner: Reasoner) -> None:
    text = """@prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :Country a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :france :italy ) ] .
        :Wine a owl:Class . :near a owl:ObjectProperty . :likes a owl:ObjectProperty ."""
    about = Schema(read_graph(text.encode()))
    near, wine, country = (NamedNode(f"urn:x:{name}") for name in ("near", "Wine", "Country"))
    judge = Judge(about, reasoner)
    for number in range(5):
        others = [Triple(NamedNode(f"urn:kgprobe:new:{at}"), RDF.type, wine) for at in range(number + 1)]
        assert judge.is_consistent((*others, Triple(NEW[0], near, NEW[1]))) is True
    assert judge.known_parts == 2  # a wine, and a link
    apart = [Triple(NEW[0], OWL.differentFrom, NEW[1]), Triple(NEW[1], OWL.differentFrom, NEW[2])]
    three = [*apart, Triple(NEW[0], OWL.differentFrom, NEW[2]), *(Triple(each, RDF.type, country) for each in NEW)]
    assert judge.is_consistent(three) is not True  # there are at most two countries
