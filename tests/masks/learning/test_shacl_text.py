"""A condition and the SHACL that is written for it judge graphs alike: by lookups, by shifty and by pyshacl."""

from __future__ import annotations

from random import Random

import pyshacl
import pytest
import rdflib
from support.turtle import graph_in

from kgprobe.masks.learning.conditions import (
    AtLeast,
    AtMost,
    Bound,
    Clause,
    Exactly,
    Focus,
    HasValue,
    Lacks,
    LinkedCondition,
    OfClass,
    OfDatatype,
    OneOf,
    ShapeCondition,
    ShapeLink,
    ShapeTest,
)
from kgprobe.masks.learning.shacl_text import clause_in_words, clause_text, kind_of, prefixes_for
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_
from kgprobe.masks.shacl import ShaclCheck, ShiftyEngine
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import RDF, RDFS, XSD, Literal, NamedNode, Term, Triple

EX = "https://example.org/x#"
NODES: list[NamedNode] = [NamedNode(EX + f"n{i}") for i in range(5)]
CLASSES = [NamedNode(EX + name) for name in ("A", "B", "C")]
PREDICATES = [NamedNode(EX + name) for name in ("p", "q")]
VALUES: list[Term] = [
    *(Literal(text, datatype=XSD.integer) for text in ("-3", "0", "7")),
    *(Literal(text, datatype=XSD.decimal) for text in ("2.5", "-0.5")),
    Literal("word"),
    Literal("Wort", language="de"),
]
TERMS: list[Term] = [*NODES, *VALUES]


def random_graph(random: Random) -> Graph:
    triples = [Triple(random.choice(NODES), RDF.type, random.choice(CLASSES)) for _ in range(random.randint(0, 6))]
    triples += [Triple(CLASSES[0], RDFS.subClassOf, CLASSES[1])] * random.randint(0, 1)
    for _ in range(random.randint(0, 12)):
        value: Term = random.choice(VALUES) if random.random() < 0.4 else random.choice(NODES)
        triples.append(Triple(random.choice(NODES), random.choice(PREDICATES), value))
    return Graph(triples, spelling=Spelling({"": EX}))


def random_path(random: Random, *, longest: int = 2) -> Path:
    step: Path = Predicate(random.choice(PREDICATES))
    choice = random.random()
    if choice < 0.2:
        return Inverse(step)
    if choice < 0.3:
        return Repeat(step, "*")
    if choice < 0.35:
        return Repeat(Alternative((step, Inverse(step))), "*")
    if choice < 0.5 and longest > 1:
        return Sequence_((random_path(random, longest=1), random_path(random, longest=1)))
    return step


def random_test(random: Random) -> ShapeTest:
    value = random.choice(TERMS)
    count = random.randint(0, 3)
    limit = Literal(random.choice(("-1", "0", "2")), datatype=XSD.integer)
    return random.choice(
        (
            HasValue(value),
            Lacks(value),
            AtLeast(count + 1, random.choice((None, *CLASSES))),
            AtMost(count, random.choice((None, *CLASSES))),
            Exactly(count),
            OneOf(tuple(random.sample(TERMS, 3))),
            Bound(random.choice(("minInclusive", "minExclusive", "maxInclusive", "maxExclusive")), limit),
            OfClass(random.choice(CLASSES)),
            OfDatatype(random.choice((XSD.integer, XSD.decimal, XSD.string))),
        )
    )


def random_condition(random: Random, *, is_class: bool) -> ShapeCondition:
    via = random_path(random) if random.random() < 0.3 else None
    focus = Focus(random.choice(CLASSES if is_class else NODES), is_class, via)
    return ShapeCondition(focus, random_path(random), random_test(random))


def random_clause(random: Random) -> Clause:
    first = random_condition(random, is_class=random.random() < 0.4)
    if first.focus.is_class or random.random() < 0.4:
        return Clause(first)
    start = random.choice((first.focus.term, random.choice([*NODES, *CLASSES])))
    link = None if start == first.focus.term else ShapeLink(start, random_path(random), first.focus.term)
    alternatives = []
    for _ in range(random.randint(1, 2)):
        together = []
        for _ in range(random.randint(1, 2)):
            other = random_condition(random, is_class=False)
            end = other.focus.term
            together.append(
                LinkedCondition(other, None if start == end else ShapeLink(start, random_path(random), end))
            )
        alternatives.append(tuple(together))
    return Clause(first, tuple(alternatives), link)


def conforms_for_pyshacl(shapes: str, graph: Graph) -> bool:
    data = rdflib.Graph().parse(data="".join(f"{triple} .\n" for triple in graph), format="nt")
    conforms, _, _ = pyshacl.validate(data, shacl_graph=rdflib.Graph().parse(data=shapes, format="turtle"))
    assert isinstance(conforms, bool)
    return conforms


@pytest.mark.parametrize("seed", range(8))
def test_shapes_judge_graphs_as_their_conditions_do(seed: int) -> None:
    random = Random(seed)
    verdicts = []
    for _ in range(15):
        clause = random_clause(random)
        prefixes = prefixes_for(Spelling({"": EX}))
        header = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
        text = header + clause_text(clause, "Shape1", prefixes)
        shapes = graph_in(text)
        full, check = ShiftyEngine(shapes, "shapes"), ShaclCheck(shapes, "shapes")
        for number in range(4):
            graph = random_graph(random)
            expected = clause.holds(graph)
            verdicts.append(expected)
            assert full.conforms_afresh(graph) is expected, (text, list(graph))
            assert check.admits(graph) is expected, (text, list(graph))
            if not number:
                assert conforms_for_pyshacl(text, graph) is expected, (text, list(graph))
        assert clause_in_words(clause, Spelling({"": EX}))
        assert kind_of(clause)
    assert len(verdicts) == 60
    assert 5 < sum(verdicts) < 55  # both verdicts occur


@pytest.mark.parametrize(
    ("iri", "written"),
    [
        (EX + "plain", ":plain"),
        (EX + "with.dot.", f"<{EX}with.dot.>"),
        (EX + "1st", f"<{EX}1st>"),
        (EX + "é", f"<{EX}é>"),
        ("urn:other", "<urn:other>"),
    ],
)
def test_names_that_turtle_cannot_abbreviate_are_written_in_full(iri: str, written: str) -> None:
    clause = Clause(ShapeCondition(Focus(NamedNode(iri)), Predicate(PREDICATES[0]), AtLeast(1)))
    text = clause_text(clause, "Shape1", prefixes_for(Spelling({"": EX})))
    assert f"sh:targetNode {written} ;" in text
