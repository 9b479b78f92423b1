"""Individuals and assertions are found without a search, drawn uniformly, and fit domains and ranges."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from kgprobe.mutation.functions import (
    Assertions,
    class_assertions,
    data_property_assertions,
    object_property_assertions,
    random_individual,
    random_object_for,
    random_subject_for,
)
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple

from .example_runner import EX, graph_of

_SAID = """
    :A a owl:Class . :B a owl:Class ; rdfs:subClassOf :A . :p a owl:ObjectProperty . :n a owl:DatatypeProperty .
    :note a owl:AnnotationProperty .
    :a a :A , :B ; :p :c ; :n "1" , "2" ; :note "no assertion" . :b a owl:Thing ; :p :a . :d a owl:NamedIndividual .
    _:nobody a :A ; :n "3" .
"""
_LATER = """
    :e a owl:NamedIndividual , :A ; :p :d ; :n "4" . :q a owl:ObjectProperty . :e :q :e .
"""
_FACTS = """
:p1 a :Pump . :p2 a :Pump , :Heater . :h a :Heater . :t a :Tank . :n a owl:NamedIndividual . _:x a :Pump .
:Pump rdfs:subClassOf :Device . :Heater owl:equivalentClass :Warmer . :Warmer rdfs:subClassOf :Device .
:feeds a owl:ObjectProperty .
"""
_ALL = {"p1", "p2", "h", "t", "n"}


def _changed() -> Graph:
    """A graph with all these triples, some of them added later, and others added and removed again."""
    graph = graph_of(_SAID + ':gone a owl:NamedIndividual , :A ; :p :a ; :n "5" .')
    for triple in list(graph):
        if triple.subject == NamedNode(EX + "gone"):
            graph.remove(triple)
    for triple in graph_of(_LATER):
        graph.add(triple)
    return graph


def _drawn(assertions: Assertions, graph: Graph, count: int) -> Counter[Triple]:
    random = Random(3)
    rows = [assertions.sample(graph, random) for _ in range(count)]
    return Counter(graph.triple(row) for row in rows if row is not None)


@pytest.mark.parametrize(
    ("assertions", "expected"),
    [
        (class_assertions, ":a a :A , :B . :b a owl:Thing . :e a :A ."),
        (object_property_assertions, ":a :p :c . :b :p :a . :e :p :d . :e :q :e ."),
        (data_property_assertions, ':a :n "1" , "2" . :e :n "4" .'),
    ],
)
def test_assertions(assertions: Assertions, expected: str) -> None:
    found = _drawn(assertions, _changed(), 2000)
    assert set(found) == set(graph_of(expected))
    assert min(found.values()) > 0.8 * 2000 / len(found)


def test_individuals() -> None:
    graph, random = _changed(), Random(3)
    found = Counter(graph.term(key) for _ in range(2000) if (key := random_individual(graph, random)) is not None)
    assert set(found) == {NamedNode(EX + name) for name in "abcde"}
    assert min(found.values()) > 0.8 * 2000 / len(found)


def test_individuals_other_than_some() -> None:
    graph, random = graph_of(":C a owl:Class . :a a :C . :b a :C ."), Random(3)
    a, b = (graph.key(NamedNode(EX + name)) for name in "ab")
    assert {random_individual(graph, random, [a]) for _ in range(20)} == {b}
    assert random_individual(graph, random, [a, b]) is None


def test_no_individuals() -> None:
    for graph in (Graph(), graph_of(":A a owl:Class . :p a owl:ObjectProperty ; rdfs:domain :A .")):
        assert random_individual(graph, Random(1)) is None
        for assertions in (class_assertions, object_property_assertions, data_property_assertions):
            assert assertions.sample(graph, Random(1)) is None


def test_many_individuals_most_of_which_were_removed() -> None:
    graph = graph_of(":C a owl:Class . " + " ".join(f":i{number} a :C ." for number in range(100)))
    for number in range(99):
        graph.remove(next(graph.triples(NamedNode(f"{EX}i{number}"))))
    assert random_individual(graph, Random(1)) == graph.key(NamedNode(EX + "i99"))
    assert len(_drawn(class_assertions, graph, 20)) == 1


def _found(said: str) -> tuple[set[str], set[str]]:
    """The subjects and the objects that fit."""
    graph = graph_of(_FACTS + said)
    feeds = graph.key(NamedNode(EX + "feeds"))
    drawn = [
        [draw(graph, feeds, Random(seed)) for seed in range(100)] for draw in (random_subject_for, random_object_for)
    ]
    subjects, objects = ({graph.term(key).value[len(EX) :] for key in keys if key is not None} for keys in drawn)
    return subjects, objects


@pytest.mark.parametrize(
    ("said", "subjects", "objects"),
    [
        ("", _ALL, _ALL),
        (":feeds rdfs:domain owl:Thing .", _ALL, _ALL),
        (":feeds rdfs:domain :Pump ; rdfs:range :Tank .", {"p1", "p2"}, {"t"}),
        (":feeds rdfs:domain :Device .", {"p1", "p2", "h"}, _ALL),
        (":feeds rdfs:domain :Device , :Heater .", {"p2", "h"}, _ALL),
        (":feeds rdfs:domain :Pump , :Heater .", {"p2"}, _ALL),
        (":feeds rdfs:range [ a owl:Class ; owl:unionOf ( :Tank :Heater ) ] .", _ALL, {"t", "p2", "h"}),
        (":feeds rdfs:subPropertyOf :moves . :moves rdfs:domain :Tank .", {"t"}, _ALL),
        (":feeds rdfs:subPropertyOf :moves . :moves rdfs:subPropertyOf :feeds ; rdfs:range :Tank .", _ALL, {"t"}),
        (":feeds rdfs:domain :Empty ; rdfs:range [ a owl:Class ; owl:complementOf :Tank ] .", set(), set()),
        (
            ":Pump rdfs:subClassOf :Heater . :Device rdfs:subClassOf :Pump . :feeds rdfs:domain :Heater .",
            {"p1", "p2", "h"},
            _ALL,
        ),
    ],
)
def test_individuals_that_fit(said: str, subjects: set[str], objects: set[str]) -> None:
    assert _found(said) == (subjects, objects)
