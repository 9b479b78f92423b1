"""Single words: "a" and "an" by sound, and names of classes as nouns."""

from __future__ import annotations

import re

import pytest

from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import Settings
from kgprobe.questions.wording.nouns import (
    NEEDS_THE,
    indefinite,
    kind_in_words,
    split_local_name,
    usable_nouns,
    without_article,
)
from questions.fact_tables import facts_in, id_in

A = """
city|place|historic site|hotel|house|herb garden|horse|history|Houston suburb|humanist
university|universe|unicorn|uniform|union|unique case|unit|unilateral act|unicycle|unison|unionised firm
unidirectional link
user|use|usual case|usage|usurper|utensil|utility|utopia|Utah native|uterus|uranium mine|urologist|Uruguayan|Ukrainian
ukulele|Ugandan|ubiquitous thing|uvula|ureter|unanimous vote|unimodal function|urine test|Ural village|uracil molecule
European|euro|eunuch|eulogy|eucalyptus|Euclidean space|ewe|ewer
one|one-time pad|once-over|oneself test|Ouija board|Oaxacan
UFO|UN agency|US state|UK city|URL|USB stick|UV lamp|U-turn|UEFA cup|UNESCO site|UNICEF office|UPS truck
NASA mission|NATO member|LASER|RADAR|SIM card|FIFA official|SWAT team|Lego set|PhD|BBC show|CD|DVD|TV|JPEG|KGB agent
B-side|C|D-day|G|J|K|P|Q|T-shirt|V|W|Y|Z|p-value|tRNA|pH|Mr|Mrs Smith|St Bernard|McDonald|MacBook|BSc
1|7|9|10|12|100|110|118|1,800|1.8|17|0.5|2019|1999|19th|3D film|$100 note|100,000|180
yacht|yellow car|year|youth|Yemeni|東京都|Łódź
"""
AN = """
author|area|element|island|object|owl|engineer|egg|eye|onerous task|oneiric scene|oar|opus|Iowan|Ionian|ice
hour|hourglass|heir|heiress|heirloom|honest man|honor|honour|honorary degree|honorable man
umbrella|uncle|underdog|unusual case|unidentified object|unimportant thing|uninteresting book|uninformed guess
unintended act
unissued stamp|ultra|ulcer|umpire|upper house|urban area|urn|urgent call|usher|utter failure|utmost effort
ugly duckling|udder
Uzbek|Urdu poem|uphill road|unironic remark|unillustrated book
MP|MPs|FBI agent|HTML page|LED|MRI|NBA team|NGO|RAF base|RSS feed|SOS|XML file|X-ray|F-16|F16|H-bomb|L|M|N|R|S|X|A|E
F|H|I|O
EU country|ISBN|IBM machine|AI|ATM|EU|LGBT group|MSc|MPEG|NAACP leader|NCAA team|mRNA|n-gram|x-axis|h-index|e-mail
A-level|iPhone|eBay
nth|html page|mph|XLS file|SMS|MP3|R2
8|11|18|80|88|800|8,000|11,000|18th|8-bit|1812|1800s|1100|11th|18,000|11000|8.5|18.5|11.2
Österreicher|Île|Élite|Øresund|œuvre|Ångström|yttrium|Ypres|Euler|'odd' name|"Iliad"|(odd) thing
"""


def cases(table: str) -> list[str]:
    return [text for line in table.strip().splitlines() for text in line.split("|")]


@pytest.mark.parametrize("text", cases(A))
def test_a(text: str) -> None:
    assert indefinite(text) == "a"


@pytest.mark.parametrize("text", cases(AN))
def test_an(text: str) -> None:
    assert indefinite(text) == "an"


def test_the_table_is_large_enough() -> None:
    assert len(cases(A)) + len(cases(AN)) > 250


@pytest.mark.parametrize("text", ["", " ", "...", "?", "_", "北京", "Москва", "-", "''"])
def test_a_text_without_a_latin_word_or_number_gets_a(text: str) -> None:
    assert indefinite(text) == "a"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("the author", "author"),
        ("The Author", "Author"),
        ("an author", "author"),
        ("a  city", "city"),
        ("theory", "theory"),
        ("Anna", "Anna"),
        ("a", "a"),
        ("the", "the"),
        ("", ""),
    ],
)
def test_an_article_in_front_is_removed_once(text: str, rest: str) -> None:
    assert without_article(text) == rest


@pytest.mark.parametrize(
    "name",
    """United States|United Kingdom|USA|Netherlands|Philippines|Soviet Union|Czech Republic|Republic of Ireland
Canary Islands|North Sea|Pacific Ocean|Suez Canal|Isle of Man
Alps|Ottoman Empire|German Confederation|Church of England|Bay of Bengal|People's Republic of China|Rhine""".replace(
        "\n", "|"
    ).split("|"),
)
def test_some_names_take_the(name: str) -> None:
    assert re.search(NEEDS_THE, name)


@pytest.mark.parametrize(
    "name",
    """France|the United States|The Netherlands|Beatles|Amazon|Mississippi|Frank Ocean|House of Cards|Sea of Love
United Airlines|City of God|Union Pacific|State of Play|Deep Blue Sea
USS Enterprise|Republic|Islands|Cape Verde|EUR|UKIP""".replace("\n", "|").split("|"),
)
def test_other_names_stay_as_they_are(name: str) -> None:
    assert not re.search(NEEDS_THE, name)


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
