""" "a" and "an" by sound."""

from __future__ import annotations

import re

import pytest

from kgprobe.questions.wording.articles import NEEDS_THE, indefinite, without_article

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
