"""The built-in profile for schema.org."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.questions import generate
from kgprobe.questions.schema.given import PROFILES, profile_named
from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import TRAITS, RelationSettings, Settings, SettingsError
from kgprobe.questions.wording.labels import words_given
from questions.fact_tables import PREFIXES, facts_in, id_in

# Table 4, and the relations of Tables 1, 2, 3, 9 and 10.
EXTENSIONS = {
    "creator": "the creator of",
    "author": "the author of",
    "containsPlace": "a place in",
    "hasPart": "a part of",
    "editor": "the editor of",
    "organizer": "the organizer of",
    "director": "the director of",
    "composer": "the composer of",
    "producer": "the producer of",
    "givenName": "the given name of",
    "familyName": "the family name of",
    "birthPlace": "the birth place of",
    "deathPlace": "the death place of",
    "children": "a child of",
    "parent": "a parent of",
    "actor": "an actor in",
    "affiliation": "an affiliation of",
    "alumniOf": "an alumnus of",
}


@pytest.mark.parametrize("name", PROFILES)
def test_every_entry_of_a_profile_can_be_used(name: str) -> None:
    profile = profile_named(name)
    assert len(profile.relations) > 100
    for relation, given in profile.relations.items():
        assert given.words is not None, relation
        words_given(*given.words, is_turned=given.turned)
        assert set(given.traits) <= set(TRAITS), relation
        others = (*given.inverse_of, *given.sub_property_of, *(step for chain in given.chains for step in chain))
        assert set(others) <= set(profile.relations), relation


@pytest.mark.parametrize("namespace", ["http://schema.org/", "https://schema.org/"])
def test_the_relations_of_the_paper_have_its_words(namespace: str) -> None:
    facts = facts_in("".join(f":x <{namespace}{name}> :y ." for name in (*EXTENSIONS, "gender")))
    schema = schema_of(facts, Settings(profile="schema.org"))
    for name, extension in EXTENSIONS.items():
        words = schema.relations[id_in(facts, namespace + name)].words
        assert words is not None
        assert words.extension == extension
        assert words.is_turned == (name == "alumniOf")
    gender = schema.relations[id_in(facts, namespace + "gender")].words
    assert gender is not None
    assert gender.is_kind


def test_the_profile_adds_relations_that_follow_from_those_of_the_graph() -> None:
    facts = facts_in(":italy schema:containsPlace :lucca . :p schema:birthPlace :lucca ; schema:spouse :e .")
    schema = schema_of(facts, Settings(profile="schema.org"))
    ids = {each.iri.removeprefix("http://schema.org/"): id_ for id_, each in schema.relations.items()}
    assert set(ids) == {"containsPlace", "containedInPlace", "birthPlace", "spouse", "relatedTo"}
    assert ids["containedInPlace"] > facts.value("SELECT max(id) FROM terms")
    assert (ids["containsPlace"], ids["containedInPlace"]) in schema.inverses
    assert schema.chains == {((ids["birthPlace"], ids["containedInPlace"]), ids["birthPlace"])}
    assert schema.sub_properties == {(ids["spouse"], ids["relatedTo"])}
    assert schema.domains == frozenset()
    assert schema.with_trait("symmetric") == tuple(sorted((ids["spouse"], ids["relatedTo"])))
    assert {"transitive", "asymmetric"} <= schema.relations[ids["containedInPlace"]].traits


def test_the_settings_of_the_user_come_before_the_profile() -> None:
    facts = facts_in(":emma schema:author :jane .")
    given = {"author": RelationSettings(("a", "writer", "of"), traits=("functional",))}
    schema = schema_of(facts, Settings(profile="schema.org", relations=given))
    author = schema.relations[id_in(facts, "http://schema.org/author")]
    assert author.words is not None
    assert author.words.extension == "a writer of"
    assert {"asymmetric", "functional"} <= author.traits


def test_an_unknown_profile_gets_the_nearest_one() -> None:
    with pytest.raises(SettingsError, match=r"there is no profile 'schema-org' \(did you mean 'schema.org'\?\)"):
        profile_named("schema-org")


PUCCINI = """
:italy rdfs:label "Italy" ; schema:containsPlace :tuscany .
:tuscany rdfs:label "Tuscany" ; schema:containsPlace :lucca . :lucca rdfs:label "Lucca" .
:germany rdfs:label "Germany" ; schema:containsPlace :bonn . :bonn rdfs:label "Bonn" .
:puccini rdfs:label "Puccini" ; schema:birthPlace :lucca . :beethoven rdfs:label "Beethoven" ; schema:birthPlace :bonn .
:tosca rdfs:label "Tosca" ; schema:composer :puccini . :fidelio rdfs:label "Fidelio" ; schema:composer :beethoven .
:duo rdfs:label "Duo" ; schema:composer :puccini, :beethoven .
"""


def test_a_birth_place_and_the_region_around_it_are_both_right(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    graph.write_text(PREFIXES + PUCCINI, encoding="utf-8")
    settings = Settings(
        profile="schema.org", closed=("birthPlace", "containsPlace", "composer"), unique_names=True, seed=3
    )
    cases = list(generate([graph], settings).cases)
    asked = {
        question.text: question.expected
        for case in cases
        for question in (*case.antecedents, *case.consequences)
        if "birth place" in question.text
    }
    assert asked["Is Lucca the birth place of the composer of Tosca?"] == "yes"
    for place in ("Lucca", "Tuscany", "Italy"):
        for whom in ("Puccini", "the composer of Tosca"):
            assert asked.get(f"Is {place} the birth place of {whom}?", "yes") == "yes"
    assert not any("of the composer of Duo" in question for question in asked)
    assert any(expected == "no" for expected in asked.values())
