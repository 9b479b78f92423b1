"""Names of classes as nouns."""

from __future__ import annotations

import pytest

from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import Settings
from kgprobe.questions.wording.nouns import kind_in_words, split_local_name, usable_nouns
from questions.fact_tables import facts_in, id_in


@pytest.mark.parametrize(
    ("name", "worded"),
    [
        ("City", "a city"),
        ("Urban Area", "an urban area"),
        ("Musical work", "a musical work"),
        ("NASA mission", "a NASA mission"),
        ("NASA Mission", "a NASA mission"),
        ("European City", "a European city"),
        ("European city", "a European city"),
        ("Nobel Prize Winner", "a Nobel prize winner"),
        ("Member of Parliament", "a member of parliament"),
        ("university in Paris", "a university in Paris"),
        ("iPhone", "an iPhone"),
        ("McDonald restaurant", "a McDonald restaurant"),
        ("Boeing 747", "a Boeing 747"),
        ("3D Film", "a 3D film"),
        ("HTML Page", "an HTML page"),
        ("the city", "a city"),
        ("Male", "a male"),
        ("都市", "a 都市"),
        ("Город", "a Город"),
        ("Non-profit Organization", "a non-profit organization"),
        ("Anglo-Saxon King", "an Anglo-Saxon king"),
    ],
)
def test_a_name_is_lower_case_where_that_is_safe(name: str, worded: str) -> None:
    assert kind_in_words(name) == worded
    assert kind_in_words(worded) == worded


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("birthPlace", ["birth", "place"]),
        ("MusicGroup", ["music", "group"]),
        ("birth_place", ["birth", "place"]),
        ("ISBNNumber", ["ISBN", "number"]),
        ("hasISBN", ["has", "ISBN"]),
        ("TVSeries", ["TV", "series"]),
        ("city", ["city"]),
    ],
)
def test_words_of_a_local_name(name: str, words: list[str]) -> None:
    assert split_local_name(name) == words


def test_classes_have_nouns_from_labels_and_local_names() -> None:
    facts = facts_in(
        """
        :lyon a :City, :UrbanArea, :Q515, :Footballers, :Bank1, :Bank2, :Nonbinary, :Long .
        :UrbanArea rdfs:label "Agglomeration"@en, "Ballungsraum"@de .
        :Bank1 rdfs:label "bank" . :Bank2 rdfs:label "Bank" . :Nonbinary rdfs:label "non-binary" .
        """
        + f':Long rdfs:label "{"long " * 60}" .'
    )
    schema = schema_of(facts, Settings(language="de"))
    assert {name: schema.class_nouns.get(id_in(facts, name)) for name in ("City", "UrbanArea", "Q515")} == {
        "City": "city",
        "UrbanArea": "agglomeration",
        "Q515": None,
    }
    reasons = {name: schema.unusable_classes.get(id_in(facts, name)) for name in NAMES}
    assert reasons == NAMES


NAMES = {
    "City": None,
    "Q515": "class has no name",
    "Footballers": "class name is a plural",
    "Bank1": "class name is shared",
    "Bank2": "class name is shared",
    "Nonbinary": "class name is an adjective",
    "Long": "class name is too long",
}


def test_equivalent_classes_may_share_a_noun_and_a_label_that_repeats_the_iri_is_split() -> None:
    facts = facts_in(
        """
        :ada a :Person, <http://f.org/Person>, :MusicGroup . :Person owl:equivalentClass <http://f.org/Person> .
        :MusicGroup rdfs:label "MusicGroup" .
        """
    )
    schema = schema_of(facts, Settings())
    assert sorted(schema.class_nouns.values()) == ["music group", "person", "person"]


def test_kinds_without_a_usable_noun_have_a_reason() -> None:
    nouns, flaws = usable_nouns({1: "Urban Area", 2: "people", 3: "O'Brien\n fan", 4: "..."})
    assert nouns == {1: "urban area", 3: "O'Brien fan"}
    assert flaws == {2: "class name is a plural", 4: "class name is not a word"}
