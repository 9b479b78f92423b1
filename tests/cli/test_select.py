"""`kgprobe select`, run as a user runs it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.commands import assert_refused, kgprobe
from support.repositories import Repo

PIZZERIA = Path(__file__).parents[2] / "examples" / "pizzeria"
PAIR = ("menu-1.ttl", "menu-2.ttl")
_HERE = Repo(Path())  # the current folder


@pytest.fixture
def pizzeria(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, as the current folder."""
    shutil.copytree(PIZZERIA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _json(*arguments: str) -> dict[str, object]:
    done = kgprobe("select", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("pizzeria")
def test_json_has_the_selected_tests_with_reasons_and_the_total() -> None:
    found = _json(*PAIR, "--tests", "tests")
    selected = found["selected"]
    assert isinstance(selected, list)
    assert found["total"] == 34
    assert all(each["test"] and each["because"] for each in selected)
    assert {"tests/veggie-pizzas.rq", "tests/colas.rq", "tests/veggie-orders.sql"} <= {
        each["test"] for each in selected
    }


@pytest.mark.usefixtures("pizzeria")
def test_all_formats_name_the_same_tests() -> None:
    found = _json(*PAIR, "--tests", "tests")
    names = [each["test"] for each in found["selected"]]  # type: ignore[attr-defined]
    listed = kgprobe("select", *PAIR, "--tests", "tests", "--format", "list").stdout.splitlines()
    assert listed == names
    root = ElementTree.fromstring(kgprobe("select", *PAIR, "--tests", "tests", "--format", "junit").stdout)  # noqa: S314
    cases = root.findall("testsuite/testcase")
    assert len(cases) == 34
    assert [case.get("name") for case in cases if case.find("skipped") is None] == names
    python = kgprobe("select", *PAIR, "--tests", "tests", "--format", "pytest").stdout.splitlines()
    # The plugin always runs tests that do not use the graph.
    assert found["unrelated"] == ["tests/test_menu.py::test_prices_are_rounded"]
    assert python == [*(name for name in names if "::" in name), "tests/test_menu.py::test_prices_are_rounded"]


def test_files_that_are_not_read_are_said_in_text_and_json(pizzeria: Path) -> None:
    for name in ("a.java", "b.java", "c.yml"):
        (pizzeria / "tests" / name).write_text('"VeggiePizza"', encoding="utf-8")
    assert _json(*PAIR, "--tests", "tests")["skipped"] == {".java": 2, ".yml": 1}
    said = "not read as tests: 2 .java, 1 .yml; --test-files '*.java' makes such files tests"
    assert said in kgprobe("select", *PAIR, "--tests", "tests").stderr
    found = _json(*PAIR, "--tests", "tests", "--test-files", "*.java")
    assert found["skipped"] == {".yml": 1}
    assert "tests/a.java" in str(found["selected"])


@pytest.mark.usefixtures("pizzeria")
def test_the_same_version_twice_selects_nothing() -> None:
    found = _json(PAIR[0], PAIR[0], "--tests", "tests")
    assert found["selected"] == []
    assert found["changed"] == {"removed": 0, "added": 0}


@pytest.mark.usefixtures("pizzeria")
def test_the_papers_mode_has_its_three_sets() -> None:
    found = _json(*PAIR, "--tests", "tests", "--mode", "paper")
    menu = "https://example.org/pizzeria#"
    gone = [f"{menu}MushroomPizza", f"{menu}Mozzarella", "hasTopping[some]"]
    assert gone in found["delete"]  # type: ignore[operator]
    assert gone in found["affect"]  # type: ignore[operator]
    assert [f"{menu}VeggiePizza", None, None] in found["affect"]  # type: ignore[operator]
    assert [f"{menu}Calzone", None, None] in found["add"]  # type: ignore[operator]


def test_tests_that_failed_before_come_first(pizzeria: Path) -> None:
    report = '<testsuite><testcase classname="sparql" name="tests/veggie-pizzas.rq"><failure/></testcase></testsuite>'
    (pizzeria / "report.xml").write_text(report, encoding="utf-8")
    plain = kgprobe("select", *PAIR, "--tests", "tests", "--format", "list").stdout.splitlines()
    ranked = kgprobe("select", *PAIR, "--tests", "tests", "--format", "list", "--failures", "report.xml").stdout
    assert plain[0] != "tests/veggie-pizzas.rq"
    assert ranked.splitlines()[0] == "tests/veggie-pizzas.rq"


@pytest.mark.usefixtures("pizzeria")
def test_a_failing_test_gives_exit_code_1() -> None:
    command = f"'{sys.executable}' -c 'import sys; sys.exit(\"colas\" in sys.argv[1])' {{test}}"
    done = kgprobe("select", *PAIR, "--tests", "tests", "--format", "list", "--run", command)
    assert done.returncode == 1
    assert "tests/colas.rq: failed (1)" in done.stderr
    assert "17 passed, 1 failed" in done.stderr


# -- versions in git -----------------------------------------------------------------------------------------------


@pytest.fixture
def repository(pizzeria: Path) -> Path:
    """The same menu under one name, in three versions, the last of which has one more triple."""
    texts = [(pizzeria / name).read_text(encoding="utf-8") for name in PAIR]
    for number, text in enumerate([*texts, texts[1] + ":Salami rdfs:label 'Salame'@it .\n"]):
        (pizzeria / "menu.ttl").write_text(text, encoding="utf-8")
        if not number:
            _HERE.git("init", "--quiet")
        _HERE.git("add", ".")
        _HERE.git("commit", "--quiet", "-m", f"menu {number}")
        _HERE.git("tag", f"v{number}")
    return pizzeria


@pytest.mark.usefixtures("repository")
def test_the_old_version_comes_from_git() -> None:
    found = _json("menu.ttl", "--since", "v1", "--tests", "tests")
    assert found["changed"] == {"removed": 0, "added": 1}
    names = {each["test"] for each in found["selected"]}  # type: ignore[attr-defined]
    assert {"tests/labels.rq", "tests/about-salami.rq", "tests/test_menu.py::test_salami_is_known"} <= names
    assert "tests/english-mushroom.rq" not in names


@pytest.mark.usefixtures("repository")
def test_a_history_is_one_table() -> None:
    done = kgprobe("select", "menu.ttl", "--history", "5", "--tests", "tests")
    assert done.returncode == 0, done.stderr
    header, first, second = done.stdout.splitlines()
    assert header.split() == ["versions", "date", "ADD", "DELETE", "AFFECT", "selected", "paper"]
    assert "18 / 34" in first
    by_json = json.loads(kgprobe("select", "menu.ttl", "--history", "v0..v2", "--tests", "tests", "--json").stdout)
    changes = by_json["changes"]
    assert [change["subject"] for change in changes] == ["menu 1", "menu 2"]
    assert changes[1]["add"] == changes[1]["delete"] == changes[1]["affect"] == 0
    assert changes[1]["selected"] > 0
    assert f"{changes[1]['selected']} / 34" in second


# -- recording -----------------------------------------------------------------------------------------------------


def test_recorded_queries_refine_tests_that_cannot_be_read(pizzeria: Path) -> None:
    folder = pizzeria / "built"
    folder.mkdir()
    script = folder / "ask.py"
    script.write_text(
        "import json, os, sys, urllib.parse, urllib.request\n"
        "term = open(sys.argv[1]).read().split('=')[1].strip()\n"
        "query = 'SELECT * WHERE { ?x a <https://example.org/pizzeria#' + term + '> }'\n"
        "url = os.environ['KGPROBE_ENDPOINT'] + '?' + urllib.parse.urlencode({'query': query})\n"
        "print(json.load(urllib.request.urlopen(url)))\n",
        encoding="utf-8",
    )
    for name, term in (("cola", "Cola"), ("branch", "Branch")):
        (folder / f"{name}.job").write_text(f"term = {term}\n", encoding="utf-8")
    given = ["--tests", "built", "--test-files", "*.job", "--terms-command", "false {test}"]
    assert len(_json(*PAIR, *given)["selected"]) == 2  # type: ignore[arg-type]
    command = f"'{sys.executable}' built/ask.py {{test}}"
    done = kgprobe("select", PAIR[0], *given, "--record", command, "--recorded", "seen.jsonl")
    assert done.returncode == 0, done.stderr
    found = _json(*PAIR, *given, "--recorded", "seen.jsonl")
    assert [each["test"] for each in found["selected"]] == ["built/cola.job"]  # type: ignore[attr-defined]


# -- invalid input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["menu-1.ttl"], "--since REVISION"),
        ([], "expected two graphs"),
        (["menu-1.ttl", "menu-2.ttl", "menu-1.ttl"], "the new version, not 3"),
        (["menu-1.ttl", "menu-2.ttl", "--since", "v1"], "git"),
        (["menu-1.ttl", "menu-2.ttl", "--tests", "nowhere"], "nowhere: does not exist"),
        (["menu-1.ttl", "menu-3.ttl"], "menu-3.ttl"),
        (["-", "-"], "only one of OLD and NEW can be standard input"),
        (["menu-1.ttl", "--history", ""], "git"),
        (["menu-1.ttl", "menu-2.ttl", "--run", "pytest"], "where the test goes"),
        (["menu-1.ttl", "menu-2.ttl", "--terms-command", "cat {test}"], "--test-files"),
        (["menu-1.ttl", "menu-2.ttl", "--audit"], "--audit takes one graph"),
        (["menu-1.ttl", "--audit", "--history", "5"], "--audit and --history cannot be combined"),
        (["menu-1.ttl", "--history", "5", "--run", "pytest {test}"], "--history and --run cannot be combined"),
        (["menu-1.ttl", "--history", "5"], "give both versions"),
        (["menu-1.ttl", "menu-2.ttl", "--audit", "--run", "cat {test}"], "--audit with --run needs --load"),
        (["menu-1.ttl", "menu-2.ttl", "--load", "cat {graph}"], "--load is for an audit that runs the tests"),
        (["menu-1.ttl", "menu-2.ttl", "--audit", "--load", "cat {graph}"], "--load is for an audit"),
        ([*PAIR, "--audit", "--run", "cat {test}", "--load", "cat"], "--load: 'cat' does not say where the graph goes"),
        (["-", "menu-2.ttl", "--audit", "--run", "cat {test}", "--load", "cat {graph}"], "needs files"),
        (["menu-1.ttl", "--record", "true {test}"], "--recorded FILE"),
        (["menu-1.ttl", "menu-2.ttl", "--matrix", "README.md"], "README.md"),
        (["menu-1.ttl", "menu-2.ttl", "--recorded", "README.md"], "README.md"),
        (["menu-1.ttl", "menu-2.ttl", "--failures", "README.md"], "not XML"),
        (["menu-1.ttl", "menu-2.ttl", "--reasoner", "hermitt"], "hermit"),
        ([*PAIR, "--tests", "tests", "--dialect", "sqllite"], "did you mean 'sqlite'?"),
        ([*PAIR, "--tests", "tests", "--schema", "gone.sql"], "gone.sql: does not exist"),
        ([*PAIR, "--tests", "tests", "--database", "sqlite:///gone.db"], "there is no file gone.db"),
        ([*PAIR, "--tests", "tests", "--database", "mysql://h/d"], "is not a database that kgprobe can read"),
    ],
)
@pytest.mark.usefixtures("pizzeria")
def test_invalid_input_is_refused_in_one_line(arguments: list[str], words: str) -> None:
    done = kgprobe("select", *arguments)
    assert_refused(done)
    assert words in done.stderr


def test_a_minimal_suite_says_that_it_is_not_safe(pizzeria: Path) -> None:
    done = kgprobe("select", *PAIR, "--tests", "tests", "--minimal", "--json")
    small, whole = json.loads(done.stdout), _json(*PAIR, "--tests", "tests")
    assert "tests that the change can affect: this is a choice, and not safe" in done.stderr
    names = [each["test"] for each in small["selected"]]
    assert sorted([*names, *small["left_out"]]) == sorted(each["test"] for each in whole["selected"])  # type: ignore[attr-defined]
    found: list[dict[str, Any]] = [small, whole]
    changes = [{reason["change"] for each in plan["selected"] for reason in each["reasons"]} for plan in found]
    assert changes[0] == changes[1]
    junit = kgprobe("select", *PAIR, "--tests", "tests", "--minimal", "--format", "junit").stdout
    assert junit.count("left out by --minimal") == len(small["left_out"])
    assert pizzeria.exists()


def test_several_ontologies_are_one(pizzeria: Path) -> None:
    prefix = "@prefix c: <http://example.org/cars#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    for number, label in ((1, "van"), (2, "lorry")):
        (pizzeria / f"cars-{number}.ttl").write_text(f'{prefix}[] rdfs:seeAlso c:Van . c:Van rdfs:label "{label}" .')
    (pizzeria / "cars.rq").write_text("PREFIX c: <http://example.org/cars#> SELECT ?x { c:Van ?p ?x }")
    given = ("--tests", "cars.rq", "--tests", "tests/veggie-pizzas.rq", "--format", "list")
    alone = kgprobe("select", *PAIR, *given).stdout.splitlines()
    assert alone == ["tests/veggie-pizzas.rq"]
    both = kgprobe("select", *PAIR, "--also", "cars-1.ttl", "cars-2.ttl", *given).stdout.splitlines()
    assert sorted(both) == ["cars.rq", "tests/veggie-pizzas.rq"]
    same = kgprobe("select", *PAIR, "--also", "cars-1.ttl", "cars-1.ttl", *given).stdout.splitlines()
    assert same == alone


@pytest.mark.usefixtures("repository")
def test_several_ontologies_come_from_git(pizzeria: Path) -> None:
    text = "@prefix c: <http://example.org/cars#> .\nc:Van c:wheels {} .\n"
    (pizzeria / "fleet.ttl").write_text(text.format(4))
    (pizzeria / "cars.rq").write_text("PREFIX c: <http://example.org/cars#> SELECT ?x { c:Van ?p ?x }")
    _HERE.git("add", "fleet.ttl", "cars.rq")
    _HERE.git("commit", "--quiet", "-m", "cars")
    (pizzeria / "fleet.ttl").write_text(text.format(6))
    menu = next(pizzeria.glob("menu*.ttl")).name
    listed = kgprobe("select", menu, "fleet.ttl", "--since", "HEAD", "--tests", "cars.rq", "--format", "list")
    assert (listed.returncode, listed.stdout) == (0, "cars.rq\n"), listed.stderr
    assert kgprobe("select", menu, "--since", "HEAD", "--tests", "cars.rq", "--format", "list").stdout == ""


def test_ontologies_that_disagree_on_a_prefix_are_a_warning(pizzeria: Path) -> None:
    (pizzeria / "a.ttl").write_text("@prefix owl: <http://example.org/mine#> . owl:a owl:b owl:c .")
    done = kgprobe("select", *PAIR, "--also", "a.ttl", "a.ttl", "--tests", "tests", "--format", "list")
    assert "the ontologies disagree on the prefix owl:" in done.stderr
    assert_refused(done := kgprobe("select", *PAIR, "--also", "a.ttl", "a.ttl", "--audit"))
    assert "--audit and --also cannot be combined" in done.stderr
