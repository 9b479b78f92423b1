"""Rules in files: the built-in ones, and mistakes in others."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.questions.generation.refutation import follows
from kgprobe.questions.rules import built_in, chosen_rules, read_rule, rule_named, rules_in
from kgprobe.questions.settings import Settings
from questions.cities import PREFIXES, made, questions

NAMES = [
    *("composition", "alias", "transitive", "inverse", "symmetric", "inverse-of", "sub-property", "subclass"),
    *("functional", "domain", "range", "disjoint", "chain", "conjunction", "counting"),
]


def test_all_rules_are_built_in() -> None:
    assert list(built_in()) == NAMES
    assert all(rule.about and rule.variants for rule in built_in().values())
    assert [rule.name for rule in chosen_rules(())] == NAMES
    assert [rule.name for rule in chosen_rules(("alias", "chain"))] == ["alias", "chain"]


@pytest.mark.parametrize("name", NAMES)
def test_each_conclusion_with_the_answer_yes_follows_from_the_premises(name: str) -> None:
    for variant in rule_named(name).variants:
        assert follows(variant) == (variant.expected == "yes")


def test_a_misspelled_rule_gets_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"no rule is named 'transitve' \(did you mean 'transitive'\?\)"):
        chosen_rules(("transitve",))


GOOD = {"premises": '["?a R ?b"]', "conclusion": '"?b R ?a"', "expected": '"no"', "sound": '["asymmetric R"]'}


@pytest.mark.parametrize(
    ("changes", "line", "message"),
    [
        ({"premisses": "[]"}, 5, "no key 'premisses'.*did you mean 'premises'"),
        ({"expected": '"maybe"'}, 3, 'must be "yes" or "no"'),
        ({"premises": '["?a R"]'}, 1, "is not of the form"),
        ({"premises": '["?a R/S ?b"]'}, 1, "one relation"),
        ({"premises": "[]"}, 1, "1 to 6 premises"),
        ({"premises": '"?a R ?b"'}, 1, "a list of texts"),
        ({"premises": '["a R ?b"]'}, 1, "'a' must be a thing"),
        ({"conclusion": '"?x R ?y"'}, 2, r"no premise has \?x and \?y"),
        ({"conclusion": '"?a alias ?b"'}, 2, "cannot be about a name"),
        ({"conclusion": '"?b a ?c"'}, 2, "after 'a' comes a class"),
        ({"conclusion": "7"}, 2, "'conclusion' must be a text"),
        ({"sound": '["asymetric R"]'}, 4, "'asymetric' is not a condition.*did you mean 'asymmetric'"),
        ({"sound": '["asymmetric R S"]'}, 4, "needs 1 name,"),
        ({"sound": '["asymmetric ?a"]'}, 4, "must be a relation"),
        ({"sound": '["different ?a ?z"]'}, 4, "'\\?z' is in no premise"),
        ({"variants": "[1]"}, 5, "a list of tables"),
    ],
)
def test_a_mistake_in_a_rule_has_a_line(tmp_path: Path, changes: dict[str, str], line: int, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("\n".join(f"{key} = {value}" for key, value in (GOOD | changes).items()) + "\n")
    with pytest.raises(InputError, match=message) as caught:
        read_rule(file)
    assert caught.value.where is not None
    assert (caught.value.where.file, caught.value.where.line) == (str(file), line)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('premises = ["?a R ?b"]\n')
    with pytest.raises(InputError, match="'conclusion' is missing"):
        read_rule(file)


UNCLE = """
about = "The brother of a parent is an uncle."
premises = ["?a parent ?b", "?b brother ?c"]
conclusion = "?a uncle ?c"
expected = "yes"
"""
FAMILY = f"""{PREFIXES}
:uncle owl:propertyChainAxiom (:parent :brother) ; rdfs:label "uncle" .
:parent rdfs:label "parent" . :brother rdfs:label "brother" .
:ann rdfs:label "Ann" ; :parent :bob . :bob rdfs:label "Bob" ; :brother :carl . :carl rdfs:label "Carl" .
"""


def test_a_file_is_all_that_a_new_rule_needs(tmp_path: Path) -> None:
    for name in built_in():
        (tmp_path / f"{name}.toml").write_text(rule_named(name).source)
    file = tmp_path / "uncle.toml"
    file.write_text(UNCLE)
    rules = rules_in(tmp_path)
    assert list(rules) == [*NAMES, "uncle"]
    assert rules["uncle"].about == "The brother of a parent is an uncle."
    with made(tmp_path, FAMILY, Settings(rules=(file,))) as generated:
        assert questions(generated.cases) == {("Is Carl an uncle of Ann?", "yes")}
