"""Campaigns with questions, from the profile to the report: real servers that get some conclusions wrong."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Chat, Said, chatting

from kgprobe.cli.app import run

from .question_cases import World, basic, cases, extended, premise, write_profile


class Command:
    """The command line, in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def __call__(self, *arguments: str | Path, code: int = 0) -> str:
        """The output of a command that ends with this exit code."""
        self._capsys.readouterr()
        found = run(list(map(str, arguments)))
        out, self.err = self._capsys.readouterr()
        assert found == code, self.err
        assert "Traceback" not in self.err
        assert "internal error" not in self.err
        return out

    def json(self, *arguments: str | Path, code: int = 0) -> Any:
        """Its output as JSON."""
        return json.loads(self(*arguments, "--json", code=code))


@pytest.fixture(name="kgprobe")
def the_command(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def answering(world: World) -> Callable[[str, int], str]:
    return lambda prompt, _number: world(prompt)


def test_a_model_without_faults_has_no_findings(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(answering(World())) as chat:
        report = kgprobe.json("test", write_profile(tmp_path, chat.url))
    assert (report["cases"], report["untested"], report["vacuous"], report["findings"]) == (12, 0, False, [])
    [system] = report["systems"]
    assert system["antecedents"] == {"right": 24, "wrong": 0, "undecided": 0}
    assert system["answers"] == {"yes": 36, "no": 12, "undecided": 0}
    assert [(row["rule"], row["relation"], row["tested"]) for row in system["rules"]] == [
        ("composition", "in", 6),
        ("transitive", "in", 6),
    ]
    assert report["requests"] == len(chat.requests) == 48
    assert report["tokens"] == 48 * 12
    assert report["cost"] is None
    assert report["cached"] == 0
    assert report["warnings"] == []


def test_wrong_conclusions_are_found_under_their_rules(tmp_path: Path, kgprobe: Command) -> None:
    world = World(wrong=[basic(1), basic(3), extended(3), extended(2)], unclear=[basic(5)])
    with chatting(answering(world)) as chat:
        report = kgprobe.json("questions", "run", write_profile(tmp_path, chat.url), code=1)
    assert [(found["signature"], found["cases"]) for found in report["findings"]] == [
        ("model1: transitive: in: basic, yes → no", 2),
        ("model1: composition: in: extended, no → yes", 1),
        ("model1: transitive: in: extended, no → yes", 1),
    ]
    composition, transitive = report["systems"][0]["rules"]
    assert (composition["bugs"], composition["bugs_extended"], composition["undecided"]) == (0, 1, 0)
    assert (transitive["bugs"], transitive["bugs_extended"], transitive["undecided"]) == (2, 2, 1)
    assert transitive["rate"] == pytest.approx(2 / 6)
    assert 0 < transitive["low"] < 2 / 6 < transitive["high"] < 1


def test_systems_are_asked_and_counted_by_themselves(tmp_path: Path, kgprobe: Command) -> None:
    ignorant = World(wrong=[premise(number) for number in range(12) if number != 3])
    with chatting(answering(World(wrong=[basic(0)]))) as one, chatting(answering(ignorant)) as two:
        report = kgprobe.json("test", write_profile(tmp_path, one.url, two.url), code=1)
        first, second = report["systems"]
        assert report["untested"] == 0  # the first system knows the premises
        assert (len(one.requests), len(two.requests)) == (48, 24 + 2)
    assert first["rules"][0]["bugs"] == 1
    assert [row["tested"] for row in second["rules"]] == [0, 1]
    assert second["rules"][0]["rate"] is None
    assert second["antecedents"] == {"right": 13, "wrong": 11, "undecided": 0}
    assert report["warnings"] == ["model2 hardly knows the premises: it got all of them right in 1 of 12 cases"]


def test_without_right_premises_nothing_was_tested(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(lambda _prompt, _number: "No.") as chat:
        profile = write_profile(tmp_path, chat.url)
        report = kgprobe.json("test", profile, code=3)
        assert "nothing was tested" in kgprobe.err
        assert report["untested"] == report["cases"] == 12
        assert report["vacuous"] is True
        assert "model1 nearly always gives the same answer: 100% No, 24 of 24" in report["warnings"]
        text = kgprobe("questions", "report", profile.with_suffix(".sqlite"), code=3)
    assert "12 cases, 12 of them untested" in text


def test_undecided_answers_alone_are_not_findings(tmp_path: Path, kgprobe: Command) -> None:
    unclear = World(unclear=[text(number) for number in range(12) for text in (basic, extended)])
    with chatting(answering(unclear)) as chat:
        profile = write_profile(tmp_path, chat.url)
        report = kgprobe.json("test", profile)
        assert sum(row["undecided"] for row in report["systems"][0]["rules"]) == 12
        assert report["systems"][0]["answers"]["undecided"] == 24
        strict = kgprobe.json("test", profile, "--reader", "paper", "--fresh", code=1)
        assert len(chat.requests) == 48  # all answers were kept
    assert strict["requests"] == 0
    assert strict["cached"] == 48
    assert sum(row["bugs"] for row in strict["systems"][0]["rules"]) == 12


def test_a_model_that_always_says_yes_is_told_apart(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(lambda _prompt, _number: "Yes!") as chat:
        report = kgprobe.json("test", write_profile(tmp_path, chat.url), code=1)
    assert [row["bugs_extended"] for row in report["systems"][0]["rules"]] == [6, 6]
    assert report["warnings"] == ["model1 nearly always gives the same answer: 100% Yes, 48 of 48"]


def test_failed_requests_are_counted_apart(tmp_path: Path, kgprobe: Command) -> None:
    world = World()

    def answer(prompt: str, _number: int) -> Said | str:
        return Said(b'{"error": "no"}', 400) if basic(0) in prompt else world(prompt)

    with chatting(answer) as chat:
        report = kgprobe.json("test", write_profile(tmp_path, chat.url))
    assert sum(row["tested"] for row in report["systems"][0]["rules"]) == 12  # the extended conclusion was answered
    [failed] = report["systems"][0]["failed_requests"].values()
    assert failed == 1
    assert "1 request failed" in report["warnings"][0]


def test_a_campaign_resumes_and_is_shown(tmp_path: Path, kgprobe: Command) -> None:
    world = World(wrong=[basic(11)])
    with chatting(answering(world)) as chat:
        profile = write_profile(tmp_path, chat.url, system="max-requests = 20")
        first = kgprobe.json("test", profile)
        assert "max-requests = 20" in first["ended"]
        assert 0 < first["cases"] < 12
        profile.write_text(profile.read_text().replace("max-requests = 20", "max-requests = 200"))
        whole = kgprobe.json("test", profile, code=1)
        assert whole["cases"] == 12
        assert len(chat.requests) == 48
        store = profile.with_suffix(".sqlite")
        story = kgprobe("show", f"{store}#1")
        assert f"kgprobe test {profile} --case 12" in story
        for line in (
            "rule: transitive, for https://example.org/in",
            "<https://example.org/Village_11> <https://example.org/in> <https://example.org/County_11> .",
            f"premise 1: {premise(11)}",
            f"basic conclusion: {basic(11)}",
            "context: Village 11 is a place in County 11. County 11 is a place in Land 2.",
            "expected: yes, because it is transitive",
            "answer: No.",
        ):
            assert line in story, line
        again = kgprobe("test", profile, "--case", "12", code=1)
        assert "transitive: in: basic, yes → no" in again
        assert len(chat.requests) == 48 + 4  # it was asked again, and not recalled
        assert kgprobe("test", profile, "--case", "3").strip() == "cases.jsonl#case-2: pass"
        assert "1 case" in kgprobe("show", f"{store}#1", "--case", tmp_path / "one.jsonl")
        assert json.loads((tmp_path / "one.jsonl").read_text()) == cases()[11]
        kgprobe("show", f"{store}#1", "--as-test", tmp_path / "test_one.py", code=2)
        assert "is a question, not a graph" in kgprobe.err
        kgprobe("test", profile, "--junit", tmp_path / "junit.xml", code=1)
        assert "transitive: in: basic" in (tmp_path / "junit.xml").read_text()
    assert [found["case"] for found in whole["findings"]] == ["cases.jsonl#case-11"]


def test_questions_are_reduced_only_on_demand(tmp_path: Path, kgprobe: Command) -> None:
    """This model is misled by the second sentence of the context."""
    world = World()

    def answer(prompt: str, _number: int) -> str:
        return "No." if basic(1) in prompt and "County 1 is a place in" in prompt else world(prompt)

    with chatting(answer) as chat:
        profile = write_profile(tmp_path, chat.url)
        assert kgprobe.json("test", profile, code=1)["findings"][0]["reductions"] == []
        asked = len(chat.requests)
        [finding] = kgprobe.json("test", profile, "--reduce", "1", code=1)["findings"]
        assert len(chat.requests) > asked
        [reduced] = finding["reductions"]
        assert (reduced["triples_before"], reduced["triples_after"], reduced["unit"]) == (2, 1, "sentence")
        assert reduced["rate"] == 1
        assert json.loads(Path(reduced["file"]).read_text())["context"] == "County 1 is a place in Land 1."
        paid = len(chat.requests)
        story = kgprobe("show", f"{profile.with_suffix('.sqlite')}#1")
        assert "Reduced, from 2 sentences to 1" in story
        kgprobe("test", profile, "--reduce", "1", "--fresh", code=1)
        assert len(chat.requests) == paid  # each repetition was kept under its number


def test_flaky_answers_have_a_rate(tmp_path: Path, kgprobe: Command) -> None:
    world, seen = World(), Chat()

    def answer(prompt: str, _number: int) -> str:
        if basic(1) not in prompt:
            return world(prompt)
        seen.requests.append({})
        return "No." if len(seen.requests) % 2 else "Yes."

    with chatting(answer) as chat:
        profile = write_profile(tmp_path, chat.url, count=2)
        [finding] = kgprobe.json("test", profile, "--reduce", "1", code=1)["findings"]
    [reduced] = finding["reductions"]
    assert 0 < reduced["rate_before"] < 1


def test_a_store_of_something_else_is_refused(tmp_path: Path, kgprobe: Command) -> None:
    for command in ("report", "export", "compare"):
        arguments = ["--out", str(tmp_path / "data")] if command == "export" else []
        kgprobe("questions", command, tmp_path / "none.sqlite", *arguments, code=2)
        assert "none.sqlite: does not exist" in kgprobe.err


def test_a_finding_that_relies_on_a_mined_trait_is_marked(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(answering(World(wrong=[basic(1), basic(2)]))) as chat:
        profile = write_profile(tmp_path, chat.url, count=3)
        given = [{**case, **({"mined": True} if number == 1 else {})} for number, case in enumerate(cases(3))]
        (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in given))
        report = kgprobe.json("test", profile, code=1)
        assert [row.get("mined") for row in report["systems"][0]["rules"]] == [None, True]
        [warning] = report["warnings"]
        assert warning.startswith(
            "finding 1 relies on a trait that was mined from the facts, not stated: model1: trans"
        )
        assert "the rule relies on a trait that was found in the data" in kgprobe("show", f"{tmp_path}/qa.sqlite#1")
        again = kgprobe.json("test", profile, "--case", "2", code=1)
    assert again["details"]["systems"]["model1"]["conclusions"] == [["wrong", "no"], ["right", "no"]]


def test_a_known_bug_is_not_a_finding(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(answering(World(wrong=[basic(1)]))) as chat:
        profile = write_profile(tmp_path, chat.url, system='[[known]]\nsignature = "model1: transitive: *"')
        assert kgprobe.json("test", profile)["findings"][0]["known"] == ""
    assert "known bug" in kgprobe("questions", "report", profile)
    kgprobe("questions", "report", profile.with_suffix(".sqlite"), code=1)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE cases SET details = '{'",
        "UPDATE cases SET details = '[]'",
        "UPDATE cases SET details = '{\"systems\": 3}'",
        'UPDATE cases SET details = \'{"systems": {"a": {"premises": [], "conclusions": []}}}\'',
        "UPDATE cases SET details = replace(details, 'right', 'wright')",
        "UPDATE cases SET recipe = '{}'",
        "UPDATE cases SET recipe = replace(recipe, 'basic', 'basik')",
        "UPDATE campaign SET value = '{\"a\": 3}' WHERE key = 'usage'",
        'UPDATE campaign SET value = \'{"a": {"requests": "x"}}\' WHERE key = \'usage\'',
        "UPDATE campaign SET value = '{\"dropped\": 3}' WHERE key = 'about'",
        "UPDATE campaign SET value = '{\"empty\": {\"a\": 3}}' WHERE key = 'about'",
    ],
)
def test_a_damaged_store_is_told(tmp_path: Path, kgprobe: Command, damage: str) -> None:
    with chatting(answering(World(wrong=[basic(1)]))) as chat:
        profile = write_profile(tmp_path, chat.url, count=3)
        kgprobe("test", profile, code=1)
    store = profile.with_suffix(".sqlite")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(damage)
    kgprobe("questions", "report", store, code=2)
    assert "this store is damaged" in kgprobe.err
    for arguments in (["compare", store, store], ["export", store, "--out", tmp_path / "data"]):
        assert run(["questions", *map(str, arguments)]) in (0, 2)


def test_two_campaigns_are_compared(tmp_path: Path, kgprobe: Command) -> None:
    stores = []
    for name, wrong in (("old", [basic(0), basic(2), basic(4)]), ("new", [basic(4), basic(6)])):
        with chatting(answering(World(wrong=wrong))) as chat:
            (tmp_path / name).mkdir()
            profile = write_profile(tmp_path / name, chat.url)
            kgprobe("test", profile, "--quiet", code=1)
            stores.append(profile.with_suffix(".sqlite"))
    value = kgprobe.json("questions", "compare", *stores)
    assert (value["fixed"], value["broken"], value["same"], value["not_compared"]) == (2, 1, 9, 0)
    assert value["mcnemar"] == {"p": 1.0, "statistic": None, "exact": True}
    assert value["pairs"][0]["fixed_cases"] == ["case-0", "case-2"]
    text = kgprobe("questions", "compare", *stores)
    assert "model1: 2 fixed, 1 broken, 9 the same" in text
    overlap = kgprobe.json("questions", "compare", "--overlap", *stores)
    assert [(len(each["systems"]), each["cases"]) for each in overlap["overlap"]] == [(1, 2), (1, 1), (2, 1)]
    assert "composition" in kgprobe("questions", "compare", "--overlap", *stores)
    kgprobe("questions", "compare", stores[0], code=2)
    assert "two stores are compared, not 1" in kgprobe.err


def test_training_data_keeps_entities_apart(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(answering(World())) as chat:
        profile = write_profile(tmp_path, chat.url)
        kgprobe("test", profile)
    store, folder = profile.with_suffix(".sqlite"), tmp_path / "data"
    value = kgprobe.json("questions", "export", store, "--format", "chat", "--out", folder)
    assert sum(side["cases"] for side in value["sides"].values()) + value["dropped"] == 12
    lines = {side: (folder / f"{side}.jsonl").read_text().splitlines() for side in ("train", "validation", "test")}
    assert all(json.loads(line)["messages"][1]["content"] in ("Yes", "No") for line in lines["train"])
    assert lines["train"]
    kgprobe("questions", "export", store, "--out", folder, code=2)
    assert "already exists" in kgprobe.err
    kgprobe("questions", "export", store, "--out", folder, "--force", "--format", "text2text")
    assert set(json.loads((folder / "train.jsonl").read_text().splitlines()[0])) == {"input", "output"}


def test_a_broken_line_of_the_cases_is_told(tmp_path: Path, kgprobe: Command) -> None:
    profile = write_profile(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "cases.jsonl").write_text(json.dumps(cases()[0]) + "\n{\n")
    kgprobe("test", profile, code=2)
    assert f"{tmp_path}/cases.jsonl:2: this line is not JSON" in kgprobe.err


def test_no_case_is_not_a_test(tmp_path: Path, kgprobe: Command) -> None:
    profile = write_profile(tmp_path, "http://127.0.0.1:9/v1", count=0)
    kgprobe("test", profile, code=3)
    assert "nothing was tested: there is no case" in kgprobe.err


def test_a_server_that_does_not_exist(tmp_path: Path, kgprobe: Command) -> None:
    kgprobe("test", write_profile(tmp_path, "http://127.0.0.1:9/v1"), code=3)
    assert "model1" in kgprobe.err


def test_options_that_do_not_fit(tmp_path: Path, kgprobe: Command) -> None:
    profile = write_profile(tmp_path, "http://127.0.0.1:9/v1")
    for arguments, told in (
        (["test", profile, "--reader", "word"], "did you mean 'words'"),
        (["test", profile, "--count", "3"], "--count works only for profiles with [mutation]"),
        (["test", profile, "--on", tmp_path / "cases.jsonl"], "cases.jsonl"),
        (["questions", "run", profile, "--chat", "http://x/v1"], "--chat goes with a graph"),
        (["questions", "run", tmp_path / "cities.ttl"], "a graph needs --chat"),
        (
            ["questions", "run", tmp_path / "cities.ttl", "--chat", "http://127.0.0.1:9/v1", "--model", "m"],
            "cities.ttl",
        ),
        (["questions", "rn", profile], "rn"),
        (["show", f"{profile.with_suffix('.sqlite')}#1"], "does not exist"),
    ):
        kgprobe(*arguments, code=2)
        assert told in kgprobe.err


def test_a_cap_before_the_first_case_has_ended_is_said(tmp_path: Path, kgprobe: Command) -> None:
    with chatting(lambda _prompt, _number: "Yes!") as chat:
        kgprobe("test", write_profile(tmp_path, chat.url, system="max-requests = 1"), code=3)
    why = "'model1' has reached max-requests = 1 (a higher limit resumes the campaign)"
    assert kgprobe.err.endswith(f"nothing was tested: the first case has not ended, because {why}\n")
