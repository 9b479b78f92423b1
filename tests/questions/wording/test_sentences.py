"""Claims as sentences and questions; templates give the same string in Python and in the database."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.questions.wording import sentences
from kgprobe.questions.wording.labels import Words, words_given
from kgprobe.questions.wording.nouns import kind_in_words, plural
from kgprobe.questions.wording.sentences import KindClaim, PathClaim, Single, Slot, Template


@dataclass(frozen=True)
class Worded:
    id: int
    words: Words | None


AUTHOR = Worded(1, words_given("the", "author", "of"))
GENDER = Worded(2, words_given("a", "gender", ""))
ALUMNI = Worded(3, words_given("an", "alumnus", "of", is_turned=True))
PLACE = Worded(4, words_given("a", "place", "in"))
GIVEN_NAME = Worded(5, words_given("the", "given name", "of"))
SILENT = Worded(6, None)
RULER = Worded(7, words_given("the", "ruler", "of", is_turned=True))
LOCATED = Worded(8, words_given("", "located", "in", is_turned=True))
PARENT = Worded(9, words_given("a", "parent", "of"))
NAMES = {"x": "Xfce", "y": "Olivier Fourdan", "z": "Lyon", "m": "Male", "f": "Female", "o": "Oxford"}


def claim(subject: str, path: tuple[Worded, ...], object_: str) -> PathClaim:
    return PathClaim(subject, path, object_, tuple(f"v{n}" for n in range(len(path) - 1)))


def text(template: Template | None, **more: str) -> str:
    assert template is not None
    return template.text(NAMES | more)


def test_pattern_1_and_its_question() -> None:
    made = claim("x", (AUTHOR,), "y")
    assert text(sentences.statement(made)) == "Olivier Fourdan is the author of Xfce."
    assert text(sentences.question(made)) == "Is Olivier Fourdan the author of Xfce?"


def test_pattern_2_is_about_kinds() -> None:
    made = claim("y", (GENDER,), "m")
    assert text(sentences.statement(made)) == "Olivier Fourdan is a male."
    assert text(sentences.question(made)) == "Is Olivier Fourdan a male?"
    assert text(sentences.question(KindClaim("z", "city", is_noun=True))) == "Is Lyon a city?"
    assert text(sentences.statement(KindClaim("z", "c")), c="Urban Area") == "Lyon is an urban area."


def test_pattern_3_is_a_negation() -> None:
    assert text(sentences.negation(claim("x", (PLACE,), "z"))) == "Lyon is not a place in Xfce."
    assert text(sentences.negation(claim("y", (ALUMNI,), "o"))) == "Olivier Fourdan is not an alumnus of Oxford."


def test_pattern_4_composes_two_and_three_relations() -> None:
    two = claim("x", (AUTHOR, GIVEN_NAME), "y")
    assert text(sentences.statement(two)) == "Olivier Fourdan is the given name of the author of Xfce."
    assert text(sentences.question(two)) == "Is Olivier Fourdan the given name of the author of Xfce?"
    three = claim("x", (AUTHOR, PARENT, GIVEN_NAME), "y")
    assert text(sentences.question(three)) == "Is Olivier Fourdan the given name of a parent of the author of Xfce?"


def test_pattern_5_begins_with_a_description() -> None:
    made = claim("x", (AUTHOR, GENDER), "m")
    assert text(sentences.statement(made)) == "The author of Xfce is a male."
    assert text(sentences.question(made)) == "Is the author of Xfce a male?"
    assert text(sentences.negation(made)) == "The author of Xfce is not a male."
    three = claim("x", (AUTHOR, AUTHOR, GENDER), "m")
    assert text(sentences.question(three)) == "Is the author of the author of Xfce a male?"


def test_turned_words_begin_with_the_subject() -> None:
    made = claim("y", (ALUMNI,), "o")
    assert text(sentences.statement(made)) == "Olivier Fourdan is an alumnus of Oxford."
    assert text(sentences.question(made)) == "Is Olivier Fourdan an alumnus of Oxford?"
    assert text(sentences.question(claim("x", (AUTHOR, ALUMNI), "o"))) == "Is the author of Xfce an alumnus of Oxford?"
    assert text(sentences.question(claim("x", (LOCATED,), "z"))) == "Is Xfce located in Lyon?"
    assert text(sentences.question(claim("x", (AUTHOR, LOCATED), "z"))) == "Is the author of Xfce located in Lyon?"


FORMS = (
    sentences.statement,
    sentences.question,
    sentences.negation,
    sentences.open_question,
    lambda made: sentences.choice(made, ("y", "z")),
    lambda made: sentences.count_question(made, 2),
    lambda made: sentences.count_statement(made, 2),
    lambda made: sentences.conjunction([made, KindClaim("x", "city", is_noun=True)]),
)


@pytest.mark.parametrize(
    "path",
    [
        (SILENT,),
        (AUTHOR, SILENT),
        (SILENT, AUTHOR),
        (ALUMNI, AUTHOR),  # turned words describe the start of a step, not its end
        (GENDER, AUTHOR),
        (AUTHOR, ALUMNI, GIVEN_NAME),
        (PARENT, GENDER),  # "Is a parent of Ada a male?" could be about any parent
        (PARENT, ALUMNI),
        (AUTHOR, PARENT, GENDER),
    ],
)
def test_a_path_that_describes_nothing_is_not_asked_about(path: tuple[Worded, ...]) -> None:
    for form in FORMS:
        assert form(claim("x", path, "y")) is None


def singles(template: Template | None) -> tuple[Single, ...]:
    assert template is not None
    return template.singles


def test_each_the_needs_a_single_value() -> None:
    assert singles(sentences.question(claim("x", (AUTHOR,), "y"))) == (Single("x", 1),)
    assert singles(sentences.question(claim("x", (PLACE,), "y"))) == ()
    assert singles(sentences.question(claim("x", (AUTHOR, PARENT), "y"))) == (Single("x", 1),)
    assert singles(sentences.question(claim("x", (PARENT, GIVEN_NAME), "y"))) == (Single("v0", 5),)
    assert singles(sentences.question(claim("x", (AUTHOR, GIVEN_NAME), "y"))) == (Single("x", 1), Single("v0", 5))
    assert singles(sentences.question(claim("x", (AUTHOR, GENDER), "m"))) == (Single("x", 1),)
    assert singles(sentences.question(claim("y", (RULER,), "o"))) == (Single("o", 7, is_backwards=True),)
    assert singles(sentences.question(claim("x", (AUTHOR, RULER), "o"))) == (
        Single("x", 1),
        Single("o", 7, is_backwards=True),
    )


def test_a_count_needs_no_single_value_of_what_it_counts() -> None:
    assert singles(sentences.count_question(claim("x", (AUTHOR,), "y"), 2)) == ()
    assert singles(sentences.count_question(claim("x", (AUTHOR, GIVEN_NAME), "y"), 2)) == (Single("x", 1),)
    assert singles(sentences.count_statement(claim("y", (RULER,), "o"), 2)) == ()


def test_counts() -> None:
    assert text(sentences.count_question(claim("x", (AUTHOR,), "y"), 2)) == "Are there at least 2 authors of Xfce?"
    assert text(sentences.count_statement(claim("z", (PLACE,), "y"), 3)) == "There are at least 3 places in Lyon."
    made = sentences.count_question(claim("x", (AUTHOR, GIVEN_NAME), "y"), 2)
    assert text(made) == "Are there at least 2 given names of the author of Xfce?"
    turned = sentences.count_question(claim("y", (ALUMNI,), "o"), 2)
    assert text(turned) == "Is Olivier Fourdan an alumnus of at least 2 different things?"
    definite = sentences.count_statement(claim("y", (RULER,), "o"), 2)
    assert text(definite) == "Olivier Fourdan is a ruler of at least 2 different things."
    assert sentences.count_question(claim("y", (GENDER,), "m"), 2) is None


def test_choices() -> None:
    made = sentences.choice(claim("x", (AUTHOR,), "y"), ("y", "z", "o"))
    assert text(made) == "Which of these is the author of Xfce: Olivier Fourdan, Lyon or Oxford?"
    turned = sentences.choice(claim("y", (ALUMNI,), "o"), ("o", "z"))
    assert text(turned) == "Which of these is Olivier Fourdan an alumnus of: Oxford or Lyon?"
    kind = sentences.choice(claim("x", (AUTHOR, GENDER), "m"), ("m", "f"))
    assert text(kind) == "Which of these is the author of Xfce: a male or a female?"
    located = sentences.choice(claim("x", (LOCATED,), "z"), ("z", "o"))
    assert text(located) == "Which of these is Xfce located in: Lyon or Oxford?"
    assert sentences.choice(claim("x", (AUTHOR,), "y"), ("y",)) is None


def test_open_questions() -> None:
    assert text(sentences.open_question(claim("x", (AUTHOR,), "y"))) == "Who or what is the author of Xfce?"
    assert text(sentences.open_question(claim("y", (ALUMNI,), "o"))) == "Who or what is Olivier Fourdan an alumnus of?"
    made = sentences.open_question(claim("x", (AUTHOR, GENDER), "m"))
    assert text(made) == "What is the gender of the author of Xfce?"
    assert sentences.open_question(KindClaim("z", "city", is_noun=True)) is None


def test_aliases() -> None:
    assert text(sentences.alias_statement("x", "z")) == "Xfce is the alternative name for Lyon."
    assert text(sentences.alias_question("x", "z")) == "Is Xfce the alternative name for Lyon?"
    assert text(sentences.alias_question("x", "z", is_only=False)) == "Is Xfce an alternative name for Lyon?"


def test_conjunctions_name_a_common_subject_once() -> None:
    same = sentences.conjunction([claim("x", (AUTHOR,), "y"), claim("z", (PARENT,), "y")])
    assert text(same) == "Is Olivier Fourdan both the author of Xfce and a parent of Lyon?"
    other = sentences.conjunction([claim("x", (AUTHOR,), "y"), KindClaim("z", "city", is_noun=True)])
    assert text(other) == "Is Olivier Fourdan the author of Xfce, and is Lyon a city?"
    three = sentences.conjunction([claim("x", (AUTHOR,), "y"), claim("z", (PARENT,), "y"), claim("y", (GENDER,), "m")])
    assert text(three) == "Is Olivier Fourdan the author of Xfce, a parent of Lyon and a male?"
    assert sentences.conjunction([claim("x", (AUTHOR,), "y")]) is None
    assert sentences.conjunction([claim("x", (AUTHOR,), "y"), claim("x", (SILENT,), "y")]) is None


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("author", "authors"),
        ("city", "cities"),
        ("key", "keys"),
        ("child", "children"),
        ("church", "churches"),
        ("class", "classes"),
        ("place of birth", "places of birth"),
        ("alternative name", "alternative names"),
        ("alumnus", "alumni"),
        ("woman", "women"),
        ("spokesman", "spokesmen"),
        ("human", "humans"),
        ("analysis", "analyses"),
        ("half", "halves"),
        ("chief", "chiefs"),
        ("series", "series"),
        ("ISBN", "ISBNs"),
        ("box", "boxes"),
        ("quiz", "quizzes"),
        ("hero", "heroes"),
        ("photo", "photos"),
        ("person", "people"),
        ("sub-organization", "sub-organizations"),
        ("Nobel Prize", "Nobel Prizes"),
        ("grandchild", "grandchildren"),
        ("bus", "buses"),
        ("roof", "roofs"),
        ("leaf", "leaves"),
        ("wife", "wives"),
    ],
)
def test_plurals(noun: str, several: str) -> None:
    assert plural(noun) == several


def test_a_path_needs_a_variable_between_two_steps() -> None:
    with pytest.raises(ValueError, match="n - 1 variables"):
        PathClaim("x", (AUTHOR, AUTHOR), "y")


def test_a_place_is_not_said_to_be_in_a_place_in_a_place() -> None:
    assert sentences.question(claim("x", (PLACE, PLACE), "z")) is None
    assert text(sentences.question(claim("x", (PARENT, PARENT), "y"))) == (
        "Is Olivier Fourdan a parent of a parent of Xfce?"
    )
    assert text(sentences.question(claim("x", (AUTHOR, PLACE), "z"))) == "Is Lyon a place in the author of Xfce?"


def test_an_article_of_a_name_has_a_capital_at_the_start_only() -> None:
    made = claim("x", (PLACE,), "z")
    names = {"z": "the Gambia", "x": "the EU"}
    assert text(sentences.statement(made), **names) == "The Gambia is a place in the EU."
    assert text(sentences.question(made), **names) == "Is the Gambia a place in the EU?"


ODD_NAMES = [
    "Emma",
    "",
    "O'Brien's \"Best\"",
    "{a} {0} %s %% $x ${b} \\n \\",
    "line\nbreak\r\n\ttab",
    "東京都",
    "القاهرة",
    "e\u0301 \u200b 🦆",
    "Apple Inc.",
    "...",
    "'; DROP TABLE names; --",
]
TEMPLATES = [
    Template((Slot("a"), " is the author of ", Slot("b"), ".")),
    Template(("Is ", Slot("a"), " the author of ", Slot("b"), "?")),
    Template((Slot("a"), " is ", Slot("b", "a-name"), ".")),
    Template(("It's {odd}: 100% \\ ${x}\n\x00 ünï 'quoted' ", Slot("a"), "")),
    Template((Slot("a"), Slot("a"), Slot("b"), ".")),
    Template(("no slot.",)),
    Template(()),
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_database_words_a_sentence_as_python_does(template: Template) -> None:
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE pairs (a VARCHAR, b VARCHAR, b_kind VARCHAR)")
    rows = [(a, b, kind_in_words(b)) for a in ODD_NAMES for b in ODD_NAMES]
    connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", rows)
    columns = {Slot("a"): "a", Slot("b"): "b", Slot("b", "a-name"): "b_kind"}
    found = connection.execute(f"SELECT a, b, {template.sql(columns)} FROM pairs").fetchall()  # noqa: S608 - no input
    assert len(found) == len(ODD_NAMES) ** 2
    for a, b, worded in found:
        assert worded == template.text({"a": a, "b": b})


def test_a_name_that_ends_with_a_full_stop_ends_the_sentence() -> None:
    template = Template(("Tim leads ", Slot("a"), "."))
    assert template.text({"a": "Apple Inc."}) == "Tim leads Apple Inc."
    assert template.text({"a": "Apple"}) == "Tim leads Apple."


def test_names_are_never_read_as_slots() -> None:
    template = Template((Slot("a"), " of ", Slot("b")))
    assert template.text({"a": "{b}", "b": "{a}"}) == "{b} of {a}"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PARTS = st.one_of(TEXTS, st.just("."), st.sampled_from([Slot("a"), Slot("b")]))
CONNECTION = duckdb.connect(":memory:")


@given(st.lists(PARTS, max_size=6), TEXTS, TEXTS)
def test_any_text_is_the_same_in_the_database(parts: list[str | Slot], a: str, b: str) -> None:
    template = Template(tuple(parts))
    query = f"SELECT {template.sql({Slot('a'): 'a', Slot('b'): 'b'})} FROM (SELECT ? AS a, ? AS b)"  # noqa: S608 - tested here
    assert CONNECTION.execute(query, [a, b]).fetchall() == [(template.text({"a": a, "b": b}),)]
