"""The table [questions] of a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.campaign.harness import harness_of
from kgprobe.config.loading import load_profile
from kgprobe.config.questions import QuestionsTable, RelationTable, settings_of
from kgprobe.errors import InputError
from kgprobe.questions.settings import RelationSettings, Settings

WHOLE = """[questions]
facts = ["cities.ttl", "more", "https://example.org/sparql"]
closed = ["containsPlace"]
limit = 10
seed = 7
language = "de"
profile = "schema.org"
unique-names = true
mine = true
forms = ["yes-no", "open"]
context = "distractors"
reader = "paper"
rules = ["uncle.toml"]

[questions.relations.containsPlace]
words = ["a", "place", "in"]
turned = true
traits = ["asymmetric", "transitive"]
inverse-of = "isIn"
sub-property-of = ["touches", "covers"]
domain = "Place"
range = ["Place"]
chains = [["near", "containsPlace"]]
"""


def written(folder: Path, text: str) -> Path:
    """A profile with the files that it names."""
    (folder / "cities.ttl").write_text("")
    (folder / "more").mkdir(exist_ok=True)
    (folder / "uncle.toml").write_text("")
    profile = folder / "qa.toml"
    profile.write_text(text)
    return profile


def test_all_keys_are_read(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, WHOLE))
    table = profile.questions
    assert table == QuestionsTable(
        facts=(tmp_path / "cities.ttl", tmp_path / "more", "https://example.org/sparql"),
        rules=("uncle.toml",),
        closed=("containsPlace",),
        limit=10,
        seed=7,
        language="de",
        relations={
            "containsPlace": RelationTable(
                ("a", "place", "in"),
                True,
                ("asymmetric", "transitive"),
                ("isIn",),
                ("touches", "covers"),
                ("Place",),
                ("Place",),
                (("near", "containsPlace"),),
            )
        },
        profile="schema.org",
        unique_names=True,
        mine=True,
        forms=("yes-no", "open"),
        context="distractors",
        reader="paper",
    )
    settings = settings_of(table, tmp_path)
    assert settings.rules == (tmp_path / "uncle.toml",)
    assert settings.relations["containsPlace"] == RelationSettings(
        ("a", "place", "in"),
        True,
        ("asymmetric", "transitive"),
        ("isIn",),
        ("touches", "covers"),
        ("Place",),
        ("Place",),
        (("near", "containsPlace"),),
    )
    assert (settings.context, settings.forms, settings.language) == ("distractors", ("yes-no", "open"), "de")


def test_defaults_are_those_of_the_settings(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, '[questions]\nfacts = ["cities.ttl"]'))
    assert settings_of(profile.questions, tmp_path) == Settings()
    assert profile.campaign.reduce == 0  # reducing costs requests
    assert harness_of(profile).reader == "words"


@pytest.mark.parametrize(
    ("given", "meant"), [("true", "premises"), ("false", "none"), ('"distractors"', "distractors")]
)
def test_the_context(tmp_path: Path, given: str, meant: str) -> None:
    profile = load_profile(written(tmp_path, f'[questions]\nfacts = ["cities.ttl"]\ncontext = {given}'))
    assert settings_of(profile.questions, tmp_path).context == meant


RELATION = '[questions]\nfacts = ["cities.ttl"]\n[questions.relations.author]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[questions]\nfacts = ["citis.ttl"]', "qa.toml:2:10: .*citis.ttl does not exist .did you mean 'cities.ttl'"),
        ("[questions]\nseed = 1", "qa.toml:1:1: .questions. needs 'facts' or 'cases'"),
        ('[questions]\nfacts = ["cities.ttl"]\ncases = "uncle.toml"', "qa.toml:3:1: .questions. has one of"),
        ('[questions]\nfact = ["cities.ttl"]', "qa.toml:2:1: .questions. has no key 'fact' .did you mean 'facts'"),
        ('[questions]\nfacts = ["cities.ttl"]\ncontext = "distractor"', "qa.toml:3:11: .*did you mean 'distractors'"),
        ('[questions]\nfacts = ["cities.ttl"]\ncontext = 3', "qa.toml:3:11: .*true or false or a string, not 3"),
        ('[questions]\nfacts = ["cities.ttl"]\nforms = ["oppen"]', "qa.toml:3:10: .*did you mean 'open'"),
        ('[questions]\nfacts = ["cities.ttl"]\nreader = "word"', "qa.toml:3:10: .*did you mean 'words'"),
        ('[questions]\nfacts = ["cities.ttl"]\nlimit = 0', "qa.toml:3:9: .*at least 1, not 0"),
        ('[questions]\nfacts = ["cities.ttl"]\nrules = ["aunt.toml"]', "qa.toml:3:10: .*aunt.toml does not exist"),
        ('[questions]\nfacts = "cities.ttl"', r"qa.toml:2:9: .*is an array.*write \[\"cities.ttl\"\]"),
        (RELATION + 'traits = ["transitiv"]', "qa.toml:4:11: .*did you mean 'transitive'"),
        (RELATION + 'trait = ["transitive"]', "qa.toml:4:1: .*did you mean 'traits'"),
        (RELATION + 'words = ["the", "author"]', "qa.toml:4:9: words are three texts"),
        (RELATION + 'words = ["the", " ", "of"]', "qa.toml:4:9: words are three texts"),
        (RELATION + 'chains = [["a"]]', "qa.toml:4:11: a chain is a path of at least two"),
        (RELATION + "inverse-of = 3", "qa.toml:4:14: .*an array or a string, not 3"),
        ("[questions]\nrelations = 3", "qa.toml:2:13: .questions. relations is a table, not 3"),
        ('[questions]\nfacts = ["cities.ttl"]\n[mask]\nqueries = []', "qa.toml:3:1: .mask. is for graphs"),
        (
            '[questions]\nfacts = ["cities.ttl"]\n[oracle]\ndifferential = true',
            "qa.toml:4:1: .oracle. differential is for",
        ),
        ('[questions]\nfacts = ["cities.ttl"]\n[graph]\nbase = "http://a/"', "qa.toml:3:1: .graph. is for graphs"),
        ('[questions]\nfacts = ["cities.ttl"]\nrules = ["transitve"]', "qa.toml:3:10: .*did you mean 'transitive'"),
        ('[questions]\nfacts = ["cities.ttl"]\n[cases]\ngraphs = ["a.ttl"]', "one of .cases. and .questions."),
    ],
)
def test_mistakes_are_told_with_their_places(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load_profile(written(tmp_path, text))


def test_another_profile_has_no_questions(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, '[cases]\ngraphs = ["cities.ttl"]'))
    with pytest.raises(InputError, match="this profile has no"):
        _ = profile.questions
    assert harness_of(profile).reader is None
