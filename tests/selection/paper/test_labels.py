"""Readable labels: short names where they are unambiguous."""

from __future__ import annotations

import pytest

from kgprobe.selection.paper.entities import local_name, short_names
from kgprobe.selection.paper.model import Entity
from selection.paper.versions import EX, iri, unclassified


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("http://example.org/a#hasTopping", "hasTopping"),
        ("http://example.org/hasTopping", "hasTopping"),
        ("http://example.org/a#b/c", "c"),
        ("http://example.org/a#", "http://example.org/a#"),
        ("http://example.org/", "http://example.org/"),
        ("urn:example:p", "urn:example:p"),
    ],
)
def test_a_short_name_follows_the_last_sign(name: str, expected: str) -> None:
    assert local_name(name) == expected


def test_a_row_has_a_source_a_target_and_a_label() -> None:
    model = unclassified(":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] .")
    names = short_names(model.property_edges)
    assert [names.row(edge) for edge in model.property_edges] == [[f"{EX}A", f"{EX}B", "p[some]"]]
    assert names.row(Entity(iri("A"))) == [f"{EX}A", None, None]


def test_ambiguous_names_are_shown_in_full() -> None:
    one = unclassified(":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] .")
    other = unclassified(":A rdfs:subClassOf [ owl:onProperty <http://example.com/p> ; owl:someValuesFrom :B ] .")
    names = short_names(one.property_edges, other.property_edges)
    labels = {names.row(edge)[2] for edge in one.property_edges | other.property_edges}
    assert labels == {"http://example.org/p[some]", "http://example.com/p[some]"}


def test_names_inside_a_label_are_short_too() -> None:
    model = unclassified(
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:unionOf ( :B <http://example.com/#C> ) ] ] ."
    )
    names = short_names(model.property_edges)
    assert {names.row(edge)[2] for edge in model.property_edges} == {"p[only (C or B)]"}
