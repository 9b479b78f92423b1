"""The program that answers questions: each of its faults is found under its rule, and without faults nothing is."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgprobe.cli.app import run
from kgprobe.config.loading import load_profile
from kgprobe.config.questions import settings_of
from kgprobe.errors import Position
from kgprobe.questions import generate
from kgprobe.questions.cases import QuestionCase, case_of_line
from kgprobe.questions.reading import reader_for

QA = Path(__file__).parents[2] / "examples" / "qa"
RULES = {
    "": set[str](),
    "blind-to-aliases": {"alias"},
    "two-steps": {"chain"},
    "both-ways": {"inverse"},
    "forgets-facts": {"composition", "chain"},
}
RULES_WITH_A_NO = {"alias", "chain", "composition", "disjoint", "functional", "inverse", "subclass", "transitive"}


@pytest.fixture(name="qa", scope="module")
def the_program() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("qa_program", QA / "qa.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["qa_program"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["qa_program"]


@pytest.fixture(name="cases", scope="module")
def all_cases() -> list[QuestionCase]:
    """Cases of all rules, more than the profile asks for."""
    pytest.importorskip("duckdb", reason="needs the extra 'questions'")
    table = load_profile(QA / "qa.toml").questions
    settings = dataclasses.replace(settings_of(table, QA), limit=100)
    with generate([QA / "world.ttl"], settings) as generated:
        return list(generated.cases)


def bugs(cases: list[QuestionCase], answer: Callable[[str], str]) -> Counter[str]:
    """The wrong conclusions by rule, of cases whose premises were right; all premises are."""
    read = reader_for("words")
    found = Counter[str]()
    for case in cases:
        assert all(read(answer(each.text), each.prompt).decision == each.expected for each in case.antecedents)
        found[case.rule] += any(
            read(answer(each.text), each.prompt).decision != each.expected for each in case.consequences
        )
    return +found


def test_the_graph_has_cases_for_all_rules(cases: list[QuestionCase]) -> None:
    assert len({case.rule for case in cases}) == 15
    assert len(cases) > 500


@pytest.mark.parametrize("fault", RULES)
def test_a_fault_is_found_under_its_rule(fault: str, qa: Any, cases: list[QuestionCase]) -> None:
    found = bugs(cases, qa.program(fault).answer)
    if fault:
        assert RULES[fault] <= set(found)
        assert {rule for rule, count in found.items() if count > sum(found.values()) / 4} <= RULES[fault]
    else:
        assert not found


def test_yes_to_all_is_found_under_all_rules_with_a_no(qa: Any, cases: list[QuestionCase]) -> None:
    assert set(bugs(cases, qa.program("yes-to-all").answer)) >= RULES_WITH_A_NO


def test_the_kept_cases_follow_from_the_graph(cases: list[QuestionCase]) -> None:
    lines = (QA / "cases.jsonl").read_text("utf-8").splitlines()
    kept = [case_of_line(line, Position("cases.jsonl")) for line in lines]
    assert len(kept) > 20
    assert [case for case in kept if told(case) not in set(map(told, cases))] == []


def told(case: QuestionCase) -> tuple[str, ...]:
    """The rule, the premises and the basic conclusions of a case."""
    basic = [each for each in case.consequences if each.kind == "basic"]
    return case.rule, *(f"{each.text} {each.expected}" for each in (*case.antecedents, *basic))


def test_a_campaign_over_the_kept_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(QA, tmp_path / "qa")
    assert run(["test", str(folder / "cases.toml"), "--json", "--quiet"]) == 1
    report = json.loads(capsys.readouterr().out)
    found = {
        system["name"]: {row["rule"] for row in system["rules"] if row["bugs_extended"]} for system in report["systems"]
    }
    assert found.pop("yes-to-all") >= {"alias", "chain", "composition", "inverse"}
    assert found.keys() == {name or "no-fault" for name in RULES}
    assert all(found[name or "no-fault"] >= rules for name, rules in RULES.items())
    assert found["no-fault"] == set()
    assert any("nearly always gives the same answer" in each for each in report["warnings"])


def test_the_program_is_a_command() -> None:
    asked = "Hampshire is a place in England.\nIs Steventon a place in Europe?\nAnswer yes or no."
    for arguments, given, expected in (
        ((), asked, "Yes."),
        (("--fault", "two-steps"), asked, "No."),
        (("--lines",), json.dumps({"id": 1, "prompt": asked}), '{"id": 1, "answer": "Yes."}'),
        ((), "Hello", "I don't know."),
    ):
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, QA / "qa.py", *arguments], input=given, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected
