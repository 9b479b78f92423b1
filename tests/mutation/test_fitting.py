"""Individuals that fit the domains and ranges of a property."""

from __future__ import annotations

from random import Random

import pytest

from kgprobe.graph.terms import NamedNode
from kgprobe.mutation.individuals import random_object_for, random_subject_for

from .example_runner import EX, graph_of

_FACTS = """
:p1 a :Pump . :p2 a :Pump , :Heater . :h a :Heater . :t a :Tank . :n a owl:NamedIndividual . _:x a :Pump .
:Pump rdfs:subClassOf :Device . :Heater owl:equivalentClass :Warmer . :Warmer rdfs:subClassOf :Device .
:feeds a owl:ObjectProperty .
"""


def _found(said: str) -> tuple[set[str], set[str]]:
    """The subjects and the objects that fit."""
    graph = graph_of(_FACTS + said)
    feeds = graph.key(NamedNode(EX + "feeds"))
    drawn = [
        [draw(graph, feeds, Random(seed)) for seed in range(100)] for draw in (random_subject_for, random_object_for)
    ]
    subjects, objects = ({graph.term(key).value[len(EX) :] for key in keys if key is not None} for keys in drawn)
    return subjects, objects


_ALL = {"p1", "p2", "h", "t", "n"}


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
