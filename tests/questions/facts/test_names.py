"""Which names things have in questions, and which names describe nothing."""

from __future__ import annotations

import pytest

from questions.fact_tables import facts_in
from questions.facts.name_tables import names_of, reasons_of


def test_the_name_is_in_the_language_from_the_best_property_and_the_smallest() -> None:
    text = """
:a rdfs:label "Lyons"@en, "Lyon"@en, "Lione"@it ; skos:prefLabel "A better name"@en ; :near :b .
:b skos:prefLabel "Oslo"@en ; schema:name "Kristiania"@en .
:c schema:name "Rome"@en, "Roma"@it ; :near :a .
"""
    facts = facts_in(text)
    assert names_of(facts) == {("a", "Lyon"), ("b", "Oslo"), ("c", "Rome")}
    assert names_of(facts, "aliases") == {("a", "A better name"), ("a", "Lyons"), ("b", "Kristiania")}
    assert names_of(facts_in(text, language="it")) == {("a", "Lione"), ("c", "Roma")}


def test_a_label_without_a_language_counts_only_if_there_is_none_in_the_language() -> None:
    facts = facts_in(':a rdfs:label "plain", "tagged"@en . :b rdfs:label "only plain", "autre"@fr . :a :near :b .')
    assert names_of(facts) == {("a", "tagged"), ("b", "only plain")}


def test_a_regional_form_of_the_language_is_the_language() -> None:
    assert names_of(facts_in(':a rdfs:label "Colour"@en-GB ; :near :a .')) == {("a", "Colour")}


def test_the_names_of_the_same_thing_are_aliases() -> None:
    facts = facts_in("""
:a rdfs:label "Lyon"@en ; :near :z . :b rdfs:label "Lugdunum"@en ; owl:sameAs :a . :c owl:sameAs :b .
:c rdfs:label "Lyon"@en .
:z rdfs:label "Z" ; skos:altLabel "Zed" ; schema:alternateName "Zee" .
""")
    assert names_of(facts) == {("a", "Lugdunum"), ("z", "Z")}
    assert names_of(facts, "aliases") == {("a", "Lyon"), ("z", "Zed"), ("z", "Zee")}


@pytest.mark.parametrize(
    "labels",
    [
        ':a rdfs:label "Paris"@en . :b rdfs:label "Paris"@en .',
        ':a rdfs:label "Paris"@en . :b rdfs:label "PARIS  " .',
        ':a rdfs:label "Stra\\u00dfe"@en . :b rdfs:label "STRASSE"@en .',
        ':a rdfs:label "e\\u0301t\\u00e9"@en . :b rdfs:label "\\u00e9te\\u0301"@en .',
        ':a rdfs:label "New\\nYork"@en . :b rdfs:label "New\\u00a0\\tYork"@en .',
    ],
)
def test_a_name_that_two_things_share_describes_neither(labels: str) -> None:
    facts = facts_in(f"{labels} :a :near :b .")
    assert names_of(facts) == set()
    assert reasons_of(facts) == {"a": "name is shared", "b": "name is shared"}


def test_a_label_that_is_an_alias_of_another_thing_is_shared() -> None:
    facts = facts_in(':a rdfs:label "Paris" ; :near :b . :b rdfs:label "Lutetia" ; skos:altLabel "paris" , "Lutece" .')
    assert names_of(facts) == {("b", "Lutetia")}
    assert names_of(facts, "aliases") == {("b", "Lutece")}
    assert reasons_of(facts) == {"a": "name is shared"}


@pytest.mark.parametrize(
    ("iri", "label", "reason"),
    [
        ("Q42", "Q42", "name is a piece of an IRI"),
        ("New_York", "New_York", "name is a piece of an IRI"),
        ("newYork", "newYork", "name is a piece of an IRI"),
        ("x", "http://e.org/x", "name is a piece of an IRI"),
        ("x", "x/y_z", "name is a piece of an IRI"),
        ("x1", "ex:x1", "name is a piece of an IRI"),
        ("x", "", "no name"),
        ("x", " \\n\\t\\u00a0", "no name"),
        ("x", "\\u200b", "no name"),
        ("x", "y" * 201, "name is too long"),
        ("x", "y z " * 2_500, "name is too long"),
    ],
)
def test_names_that_nobody_would_use(iri: str, label: str, reason: str) -> None:
    facts = facts_in(f':{iri} rdfs:label "{label}" ; :near :b . :b rdfs:label "B" .')
    assert names_of(facts) == {("b", "B")}
    assert reasons_of(facts) == {iri: reason}


@pytest.mark.parametrize("label", ["Lyon", "New York", "K2 base", "AC/DC", "9/11", "50% off", "O'Hara", "東京"])
def test_names_that_people_use(label: str) -> None:
    facts = facts_in(f':Lyon rdfs:label "{label}" ; :near :b . :b rdfs:label "B" .')
    assert names_of(facts) == {("Lyon", label), ("b", "B")}


def test_line_breaks_quotes_and_braces_in_a_label_break_nothing() -> None:
    facts = facts_in(r""":a rdfs:label "The \"best\"\n {bar} 'in' \\ %s $1 \u0000 ?" ; :near :a .""")
    assert names_of(facts) == {("a", "The \"best\" {bar} 'in' \\ %s $1 ?")}


def test_the_label_of_a_relation_is_not_the_name_of_a_thing() -> None:
    facts = facts_in(
        ':capital rdfs:label "capital" . :Capital a owl:Class ; rdfs:label "capital" . :x a :Capital ; :capital :x .'
    )
    assert names_of(facts) == {("Capital", "capital")}
    assert names_of(facts, "labels") == {("Capital", "capital"), ("capital", "capital")}


def test_values_have_their_text_as_a_name_unless_it_is_ambiguous() -> None:
    facts = facts_in("""
:a rdfs:label "A" ; :year "1990"^^xsd:gYear, 2000 ; :size "1990"^^xsd:integer ; :called "B", "Ce"@fr .
:b rdfs:label "B" ; :near :a .""")
    assert names_of(facts) == {("a", "A"), ("b", "B"), ("2000", "2000")}
    assert reasons_of(facts) == {"1990": "name is shared", "B": "name is shared", "Ce": "no name"}


@pytest.mark.parametrize(
    "label",
    """Q2878144|Q42|P131931|m.0abc12|/m/02mjmr|geoent Europe 6255148|wordnet guitar 103467517|6255148|GO:0008150|DB00945
guitar.n.01|__stupefy_VB_1|550e8400-e29b-41d4-a716-446655440000|9f86d081884c7d65|Caf%C3%A9|concept:athlete:serena_williams
wikicat American actors|geoentity Berlin 2950159""".replace("\n", "|").split("|"),
)
def test_an_identifier_is_no_name(label: str) -> None:
    facts = facts_in(f':a rdfs:label "{label}"@en ; :near :b . :b rdfs:label "Rome"@en .')
    assert names_of(facts) == {("b", "Rome")}
    assert reasons_of(facts)["a"] in ("name is an identifier", "name is a piece of an IRI")


@pytest.mark.parametrize(
    "label",
    """1984|Apollo 11|Boeing 747|U2|HD 189733|PEP 20|Area 51|Blink-182|Q|R2-D2|Sum 41|10cc|2001: A Space Odyssey
RFC 2616|Les 100 000 euros|Windows 95
World War II|M25|50 Cent|K2|Route 66|Concept car|decade""".replace("\n", "|").split("|"),
)
def test_a_name_can_have_digits(label: str) -> None:
    facts = facts_in(f':a rdfs:label "{label}"@en ; :near :b . :b rdfs:label "Rome"@en .')
    assert names_of(facts) == {("a", label), ("b", "Rome")}


def test_a_country_gets_its_article_in_english_only() -> None:
    text = ':a rdfs:label "United States"@en, "Pays-Bas"@fr ; skos:altLabel "USA"@en ; :near :b . :b rdfs:label "EU" .'
    facts = facts_in(text)
    assert names_of(facts) == {("a", "the United States"), ("b", "the EU")}
    assert names_of(facts, "aliases") == {("a", "the USA")}
    assert names_of(facts_in(text, language="fr")) == {("a", "Pays-Bas"), ("b", "EU")}
