"""Cases made from a small graph: one test for each rule, and for what is dropped."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kgprobe.errors import InputError, Position
from kgprobe.questions.cases import case_of_line, open_cases
from kgprobe.questions.settings import RelationSettings, Settings
from questions.cities import CITIES, PREFIXES, SETTINGS, conclusions, made, questions


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("composition", ("Is Piazza Grande a place in the birth place of Puccini?", "yes")),
        ("alias", ("Is Lucca a place in Toscana?", "yes")),
        ("alias", ("Is Toscana a place in Italy?", "yes")),
        ("transitive", ("Is Lucca a place in Italy?", "yes")),
        ("inverse", ("Is Italy a place in Tuscany?", "no")),
        ("subclass", ("Is Lucca a place?", "yes")),
        ("domain", ("Is Puccini a person?", "yes")),
        ("range", ("Is Lucca a place?", "yes")),
        ("disjoint", ("Is Lucca a person?", "no")),
        ("chain", ("Is Piazza Grande a place in Italy?", "yes")),
    ],
)
def test_a_rule_leads_to_a_conclusion(tmp_path: Path, rule: str, expected: tuple[str, str]) -> None:
    with made(tmp_path, rules=(rule,)) as generated:
        assert expected in questions(generated.cases)
        assert generated.by_rule == {rule: len(generated.cases)}


def test_a_case_has_premises_a_context_and_claims(tmp_path: Path) -> None:
    with made(tmp_path, rules=("transitive",)) as generated:
        case = next(
            each for each in generated.cases if each.consequences[0].text == "Is Piazza Grande a place in Tuscany?"
        )
    assert [each.text for each in case.antecedents] == [
        "Is Lucca a place in Tuscany?",
        "Is Piazza Grande a place in Lucca?",
    ]
    assert case.facts == (
        ("http://e.org/tuscany", "http://e.org/contains", "http://e.org/lucca"),
        ("http://e.org/lucca", "http://e.org/contains", "http://e.org/square"),
    )
    (conclusion,) = case.consequences
    assert conclusion.context == "Lucca is a place in Tuscany. Piazza Grande is a place in Lucca."
    assert conclusion.claim is not None
    assert conclusion.claim.path == ("http://e.org/contains",)
    assert conclusion.why == "it follows from the premises: 'contains' is transitive"


@pytest.mark.parametrize("rule", ["functional", "counting"])
def test_two_names_are_two_things_only_if_that_is_known(tmp_path: Path, rule: str) -> None:
    with made(tmp_path, rules=(rule,)) as generated:
        assert not generated.cases
        assert rule in generated.empty
    with made(tmp_path, rules=(rule,), unique_names=True) as generated:
        assert generated.cases
    different = "[] a owl:AllDifferent ; owl:distinctMembers (:lucca :rome :tuscany :lazio) ."
    with made(tmp_path, CITIES + different, rules=(rule,)) as generated:
        assert generated.cases


def test_italy_is_not_a_wrong_birthplace_of_somebody_from_lucca(tmp_path: Path) -> None:
    for seed in range(8):
        with made(tmp_path, rules=("functional", "composition"), unique_names=True, seed=seed) as generated:
            asked = {each.text for kind in ("basic", "extended") for each in conclusions(generated.cases, kind)}
        assert "Is Rome the birth place of Puccini?" in asked
        assert not asked & {f"Is {name} the birth place of Puccini?" for name in ("Italy", "Tuscany", "Piazza Grande")}


def test_an_extended_question_needs_a_closed_relation_or_a_schema(tmp_path: Path) -> None:
    with made(tmp_path, rules=("transitive",)) as generated:
        assert not conclusions(generated.cases, "extended")
    with made(tmp_path, rules=("transitive",), closed=("contains",)) as generated:
        extended = questions(generated.cases, "extended")
    assert extended
    assert all(answer == "no" for _, answer in extended)
    assert not {text for text, _ in extended if text.endswith("Italy?")}  # everything else is in Italy


def test_a_claim_of_an_inconsistent_graph_is_not_denied(tmp_path: Path) -> None:
    with made(
        tmp_path, CITIES + ":lucca :contains :italy . :lucca a :Person .", rules=("inverse", "disjoint")
    ) as generated:
        asked = questions(generated.cases)
    assert ("Is Lucca a person?", "no") not in asked
    assert ("Is Pisa a person?", "no") in asked
    assert not {text for text, _ in asked if "place in" in text and "Rome" not in text and "Lazio" not in text} & {
        "Is Italy a place in Tuscany?",
        "Is Italy a place in Lucca?",
    }


def test_the_author_of_a_book_with_two_authors_describes_nobody(tmp_path: Path) -> None:
    text = CITIES + ":tosca :composer :rossini ."
    with made(tmp_path, text, rules=("composition", "conjunction")) as generated:
        asked = {each.text for case in generated.cases for each in (*case.antecedents, *case.consequences)}
        assert generated.dropped["'the' describes several things"] >= 1
    assert any("the composer of Otello" in each for each in asked)
    assert not any("the composer of Tosca" in each for each in asked)


def test_things_that_have_no_name_are_dropped_and_counted(tmp_path: Path) -> None:
    text = CITIES + ':lucca :contains :unnamed . :lucca :contains :twin . :twin rdfs:label "PISA" .'
    with made(tmp_path, text, rules=("transitive",)) as generated:
        assert generated.dropped == {"name is shared": 2, "no name": 1}
        assert not any("pisa" in text.casefold() for text, _ in questions(generated.cases))


def test_a_conclusion_that_reads_like_a_premise_is_dropped_and_counted(tmp_path: Path) -> None:
    parts = (
        ":partOf owl:inverseOf :hasPart . :a rdfs:label 'A' ; :hasPart :b, :c . :b rdfs:label 'B' . :c rdfs:label 'C' ."
    )
    text = f"{PREFIXES} {parts}"
    words = {
        "hasPart": RelationSettings(words=("a", "part", "of")),
        "partOf": RelationSettings(words=("a", "part", "of"), turned=True),
    }
    with made(tmp_path, text, replace(SETTINGS, relations=words), rules=("inverse-of",)) as generated:
        assert not generated.cases
        assert generated.dropped["the conclusion reads like a premise"] == 2
        assert "reads like a premise" in generated.empty["inverse-of"]


def test_cases_are_written_and_read_in_the_same_order(tmp_path: Path) -> None:
    with made(tmp_path, unique_names=True, closed=("contains",)) as generated:
        cases = list(generated.cases)
        assert [generated.cases[number] for number in range(len(cases))] == cases
        assert generated.cases[-1] == cases[-1]
        generated.write(tmp_path / "cases.jsonl")
        generated.write(tmp_path / "cases.parquet")
    assert list(open_cases(tmp_path / "cases.parquet").starting_at(0)) == cases
    assert list(open_cases(tmp_path / "cases.parquet").starting_at(3)) == cases[3:]
    lines = (tmp_path / "cases.jsonl").read_text("utf-8").splitlines()
    assert [case_of_line(line, Position("cases.jsonl")) for line in lines] == cases
    assert len({case.id for case in cases}) == len(cases)
    assert set(json.loads(lines[0])) >= {"id", "rule", "relations", "facts", "antecedents", "consequences"}


def test_the_limit_holds_for_each_rule_and_relation(tmp_path: Path) -> None:
    with made(tmp_path, rules=("transitive", "inverse"), limit=2) as generated:
        assert generated.by_rule == {"transitive": 2, "inverse": 2}
    with (
        made(tmp_path, rules=("transitive",), limit=2, seed=1) as other,
        made(tmp_path, rules=("transitive",), limit=2, seed=1) as again,
    ):
        assert list(other.cases) == list(again.cases)


def test_a_rule_of_the_user(tmp_path: Path) -> None:
    file = tmp_path / "origin.toml"
    file.write_text(
        'premises = ["?a composer ?b", "?b birthPlace ?c"]\n'
        'conclusion = "?a composer/birthPlace ?c"\nexpected = "yes"\n'
    )
    with made(tmp_path, rules=(file,)) as generated:
        assert generated.by_rule == {"origin": 2}
    file.write_text('premises = ["?a composr ?b"]\nconclusion = "?b composr ?a"\nexpected = "no"\n')
    with pytest.raises(InputError, match=r"origin.toml.*no relation 'composr'.*did you mean 'composer'"):
        made(tmp_path, rules=(file,))


@pytest.mark.parametrize(
    "axiom",
    [
        ":Region rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :contains ; owl:hasValue :pisa ] .",
        ":Region rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :composer ; owl:maxCardinality 1 ] .",
    ],
)
def test_a_relation_to_which_class_expressions_can_add_facts_is_not_closed(tmp_path: Path, axiom: str) -> None:
    with made(tmp_path, CITIES + axiom, rules=("transitive",), closed=("contains",)) as generated:
        assert generated.cases
        assert not conclusions(generated.cases, "extended")


def test_names_and_values_with_odd_characters(tmp_path: Path) -> None:
    text = f"""{PREFIXES}
    :ada rdfs:label "Ada \\"{{the}}\\" first\\nof \\\\ all's" ; :birthDate "1815-12-10" ; :gender :f ; :knows :bob .
    :bob rdfs:label "Bob Jr." ; skos:altLabel "$1 {{x}}", "B. o'B." ; :birthDate "1900" ; :gender :m ; :knows :ada .
    :f rdfs:label "Female" . :m rdfs:label "Male" .
    """
    words = {
        "birthDate": RelationSettings(words=("the", "birth date", "of"), traits=("asymmetric",)),
        "gender": RelationSettings(words=("a", "gender", "")),
        "knows": RelationSettings(words=("a", "friend", "of"), traits=("symmetric",)),
    }
    with made(tmp_path, text, replace(SETTINGS, relations=words), closed=("gender",)) as generated:
        cases = list(generated.cases)
        assert "inverse" in generated.empty  # a date has no birth date
        for name in ("cases.jsonl", "cases.parquet"):
            generated.write(tmp_path / name)
            assert list(open_cases(tmp_path / name).starting_at(0)) == cases
    asked = questions(cases)
    assert ("Is 1900 the birth date of B. o'B.?", "yes") in asked
    assert ("Is $1 {x} a male?", "yes") in asked
    ada = """Ada "{the}" first of \\ all's"""
    assert (f"Is 1815-12-10 the birth date of {ada}, and is {ada} a female?", "yes") in asked
    contexts = {each.context for each in conclusions(cases)}
    assert any(each.endswith("a friend of Bob Jr.") for each in contexts)
    assert not any(".." in each for each in contexts)
    assert ("Is Bob Jr. an alternative name for Bob Jr.?", "yes") not in asked
    assert {"Is $1 {x} an alternative name for Bob Jr.?"} <= {each.text for case in cases for each in case.antecedents}
    assert any(fact[2] == '"1900"' for case in cases for fact in case.facts)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_is_for_each_rule_and_relation(tmp_path: Path, limit: int) -> None:
    with made(tmp_path) as everything, made(tmp_path, limit=limit) as generated:
        counts, wanted = (
            Counter((case.rule, tuple(dict.fromkeys(case.relations))) for case in each.cases)
            for each in (generated, everything)
        )
        assert counts == {key: min(limit, count) for key, count in wanted.items()}
        assert any(count > limit for count in wanted.values())
        assert generated.by_rule == Counter(case.rule for case in generated.cases)


@pytest.mark.parametrize(
    ("triples", "in_question"),
    [
        (':note a owl:AnnotationProperty . :lucca :note "short" .', "short"),
        (':lucca skos:definition "walled" .', "walled"),
        (':lucca <http://purl.org/dc/terms/title> "walled" .', "walled"),
        (':lucca :motto "free as the air that blows over its old walls" .', "free as"),
        (":City rdfs:subClassOf owl:Thing .", "a thing"),
    ],
)
def test_nothing_is_asked_about_documentation_sentences_and_trivial_classes(
    tmp_path: Path, triples: str, in_question: str
) -> None:
    with made(tmp_path, CITIES + triples) as generated:
        texts = [each.text for case in generated.cases for each in (*case.antecedents, *case.consequences)]
    assert texts
    assert [text for text in texts if in_question in text] == []


def test_a_thing_that_is_called_like_its_class_is_not_asked_about(tmp_path: Path) -> None:
    text = PREFIXES + ':Oil rdfs:subClassOf :Rock . :Rock rdfs:label "Rock" . :a a :Oil ; rdfs:label "oil" .'
    with made(tmp_path, text, Settings()) as generated:
        assert len(generated.cases) == 0
    with made(tmp_path, text.replace('"oil"', '"crude"'), Settings()) as generated:
        assert questions(generated.cases) == {("Is crude a rock?", "yes")}


def test_words_for_an_annotation_make_it_a_relation(tmp_path: Path) -> None:
    text = CITIES + ":twin a owl:AnnotationProperty . :lucca :twin :pisa ."
    words = {**SETTINGS.relations, "twin": RelationSettings(words=("a", "twin", "of"), traits=("symmetric",))}
    with made(tmp_path, text, replace(SETTINGS, relations=words), rules=("symmetric",)) as generated:
        assert questions(generated.cases) == {("Is Lucca a twin of Pisa?", "yes")}


def test_an_identifier_is_explained_by_its_label(tmp_path: Path) -> None:
    text = PREFIXES + (
        ':R_1 a owl:SymmetricProperty ; rdfs:label "neighbour" . :a rdfs:label "Ay" ; :R_1 :b . :b rdfs:label "Bee" .'
    )
    with made(tmp_path, text, Settings(), rules=("symmetric",)) as generated:
        [conclusion] = conclusions(generated.cases)
    assert conclusion.why == "it follows from the premises: 'neighbour' is symmetric"
